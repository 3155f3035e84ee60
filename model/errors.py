"""The errors that a user can do something about: bad input, and what did not succeed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(ValueError):
    """An input outside what attlas accepts.

    Parameters
    ----------
    parameter : str
        The parameter as the user wrote it, e.g. ``"--kappa0"``.
    value : object
        The offending value; None where a required one is missing.
    valid : str
        The valid range or set, in words.
    advice : str
        What to do instead, when that is not obvious from the range.
    """

    def __init__(self, parameter: str, value: object, valid: str, advice: str = "") -> None:
        self.parameter = parameter
        self.value = value
        self.valid = valid
        self.advice = advice
        shown = repr(value) if isinstance(value, str) else str(value)
        fault = "is missing" if value is None else f"= {shown} is not valid"
        sentence = f"{parameter} {fault}: {valid}"
        super().__init__(f"{sentence}; {advice}." if advice else f"{sentence}.")


class ComputationFailed(RuntimeError):
    """A computation that did not succeed; its message is a sentence that says what to do."""


def unknown_name(parameter: str, name: str, known: Iterable[str]) -> BadInput:
    """Error for a misspelt key that names the nearest valid one.

    Parameters
    ----------
    parameter : str
        Where the key was given, e.g. ``"--target"``.
    name : str
        The key as the user wrote it.
    known : iterable of str
        The valid keys.
    """
    keys = sorted(known)
    near = difflib.get_close_matches(name, keys, n=1, cutoff=0.5)
    advice = f"did you mean {near[0]}" if near else ""
    return BadInput(parameter, name, f"expected one of {', '.join(keys)}", advice)
