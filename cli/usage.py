"""Usage errors, each as one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from cyclopts import CycloptsError, MissingArgumentError, UnknownCommandError, UnknownOptionError
from cyclopts.exceptions import RepeatArgumentError, UnusedCliTokensError


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
