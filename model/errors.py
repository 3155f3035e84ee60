"""The errors that a user can do something about: bad input, and what did not succeed."""

from __future__ import annotations

import difflib
import importlib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Context
from fractions import Fraction
from typing import Any

#: Packages that only a part of attlas needs, and the extra of attlas that brings each.
EXTRAS = {"torch": "train"}

#: Characters of an exact number that an error shows.
_LONGEST = 20
#: Characters of any other value that an error shows; of a longer one it shows where it begins.
_LONGEST_TEXT = 500


class BadInput(ValueError):
    """An input outside what attlas accepts.

    Parameters
    ----------
    parameter : str
        The parameter's Python name, e.g. ``"kappa0"``, and behind it what part of the value is
        meant, where it has parts: ``"target wishart: kappa0"``.
    value : object
        The offending value; None where a required one is missing.
    valid : str
        The valid range or set, in words. Other parameters stand in single backticks, alone (n) or
        with a value (task=seq2lab); the command line shows them as its flags.
    advice : str
        What to do instead, when that is not obvious from the range; written in the same way.
    """

    def __init__(self, parameter: str, value: object, valid: str, advice: str = "") -> None:
        self.parameter = parameter
        self.value = value
        self.valid = valid
        self.advice = advice
        fault = "is missing" if value is None else f"= {_shown(value)} is not valid"
        sentence = f"{parameter} {fault}: {valid}"
        super().__init__(f"{sentence}; {advice}." if advice else f"{sentence}.")

    def within(self, whole: str) -> BadInput:
        """The same of a part of a parameter: ``gamma`` of ``target power-law``."""
        return BadInput(f"{whole}: {self.parameter}", self.value, self.valid, self.advice)

    def __reduce__(self) -> tuple[type[BadInput], tuple[object, ...]]:
        """Its parts, so that a worker process can hand it back."""
        return type(self), (self.parameter, self.value, self.valid, self.advice)


def _shown(value: object) -> str:
    """A value as a user writes it, numbers of many digits rounded."""
    if isinstance(value, str):
        whole = len(value) <= _LONGEST_TEXT
        return repr(value) if whole else f"{value[:_LONGEST]!r}... ({len(value)} characters)"
    grammar = getattr(value, "grammar", None)  # a target's
    if callable(grammar) and not isinstance(value, type):
        return repr(grammar())
    if isinstance(value, int | Fraction):
        if max(abs(value.numerator), value.denominator) < 10**_LONGEST:
            return str(value)
        return f"{Context(prec=6).divide(value.numerator, value.denominator).normalize():g}"
    text = str(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST]}... ({len(text)} characters)"


class Notice(UserWarning):
    """What a user should know of, and that changes no result; its message is a sentence."""


@contextmanager
def told_if_accepted() -> Iterator[None]:
    """Hold notices back until the block ends; where it raises, only the error is told."""
    with warnings.catch_warnings(record=True) as held:
        warnings.simplefilter("always")
        yield
    for one in held:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


class ComputationFailed(RuntimeError):
    """A computation that did not succeed; its message is a sentence that says what to do."""


def missing_package(name: str) -> ComputationFailed:
    """Error for one of :data:`EXTRAS` that is not installed; it says what installs it."""
    advice = f'pip install "attlas[{EXTRAS[name]}]"'
    return ComputationFailed(f"This needs {name}, which is not installed: {advice}.")


def required(name: str) -> Any:
    """One of :data:`EXTRAS`, imported.

    Raises
    ------
    ComputationFailed
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise missing_package(name) from None


def unknown_name(parameter: str, name: object, known: Iterable[str]) -> BadInput:
    """Error for a misspelt key that names the nearest valid one.

    Parameters
    ----------
    parameter : str
        Where the key was given, e.g. ``"target"``.
    name : object
        The key as the user wrote it, or what was given in its place.
    known : iterable of str
        The valid keys.
    """
    keys = sorted(known)
    near = difflib.get_close_matches(str(name), keys, n=1, cutoff=0.5)
    advice = f"did you mean {near[0]}" if near else ""
    return BadInput(parameter, name, f"expected one of {', '.join(keys)}", advice)
