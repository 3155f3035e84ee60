"""Errors as the command line says them: one sentence each, parameters as flags."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnknownOptionError
from cyclopts.exceptions import RepeatArgumentError, UnusedCliTokensError

from attlas.model import BadInput

#: A parameter in a message of the Python interface, with a value or without.
_MENTIONED = re.compile(r"`([a-z]\w*)(?:=([^`]*))?`")

#: The parameter that an error is about: behind its name there may be the part that is meant.
_NAME = re.compile(r"\w*")

#: Parameters whose flag has another name.
_OTHER_NAMES = {"map_key": "map", "path": "out"}


def as_flags(text: str) -> str:
    """A message of the Python interface with its parameters as the command line writes them."""
    return _MENTIONED.sub(lambda found: " ".join(filter(None, (_flag(found[1]), found[2]))), text)


def refusal(error: BadInput, flags: Collection[str]) -> str:
    """The sentence of bad input.

    Parameters
    ----------
    error : BadInput
        Names its parameter as Python does.
    flags : collection of str
        Those of the command: a parameter that is none of them keeps its name.
    """
    name = _NAME.match(error.parameter)[0]  # type: ignore[index]  # it matches every text
    known = _flag(name) in flags
    shown = _flag(name) + error.parameter.removeprefix(name) if known else error.parameter
    return str(BadInput(shown, error.value, as_flags(error.valid), as_flags(error.advice)))


def _flag(name: str) -> str:
    return f"--{_OTHER_NAMES.get(name, name).replace('_', '-')}"


#: A word that begins as a negative number does: no option has such a name.
_NEGATIVE = re.compile(r"-[\d.]")


def with_negative_values(arguments: Iterable[str]) -> list[str]:
    """The words of a command line, ``--alpha -1:1:3`` as ``--alpha=-1:1:3``."""
    words: list[str] = []
    for word in arguments:
        if _NEGATIVE.match(word) and words and re.fullmatch(r"--[a-z0-9][a-z0-9-]*", words[-1]):
            words[-1] += f"={word}"
        else:
            words.append(word)
    return words


def plugin_files(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command line without ``--plugin FILE``, and the files, in their order.

    Raises
    ------
    BadInput
        If a file is missing behind the option.
    """
    rest, files, going = [], [], iter(words)
    for word in going:
        option, equals, file = word.partition("=")
        if option != "--plugin":
            rest.append(word)
            continue
        file = file if equals else next(going, "")
        if not file:
            raise BadInput("plugin", None, "the path of a Python file is required")
        files.append(file)
    return rest, files


def usage_sentence(error: CycloptsError) -> str:
    """Say what is wrong with a command line and, where it is a misspelling, name the nearest.

    Parameters
    ----------
    error : CycloptsError
        As raised while parsing.
    """
    command = " ".join(["attlas", *(error.command_chain or ())])
    match error:
        case UnknownOptionError():
            known = [name for argument in error.argument_collection for name in argument.names]
            option = (error.token.keyword or error.token.value).partition("=")[0]
            if option in known:
                return f"{option} behind -- is no option: leave -- out."
            return f"{option} is not an option of {command}: {_nearest(option, known, command)}"
        case UnknownCommandError():
            verb = (error.unused_tokens or ["?"])[0]
            option = verb.startswith("-")
            kind = "an option" if option else "a command"
            known = [name for name in error.app or () if name.startswith("-") == option]
            return f"{verb} is not {kind} of {command}: {_nearest(verb, known, command)}"
        case MissingArgumentError():
            name = error.argument.name if error.argument else "an argument"
            needed = "needs a value" if error.keyword else "is required"
            return f"{name} {needed}: see {command} --help."
        case RepeatArgumentError():
            return f"{error.token.keyword or error.token.value} must be given once."
        case UnusedCliTokensError():
            extra = (error.unused_tokens or ["?"])[0]
            return (
                f"{extra!r} is not an option or value that {command} takes: see {command} --help."
            )
        case _:
            error.verbose = False
            return " ".join(str(error).split())


def _nearest(name: str, known: Iterable[str], command: str) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"see {command} --help."
