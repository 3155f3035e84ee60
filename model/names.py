"""What classes of parts and functions of the front door have in common: names, and sentences."""

from __future__ import annotations

import functools
import inspect
import re
from abc import ABCMeta
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attlas.model.errors import BadInput, unknown_name

#: Names of parts: what may stand before a colon in a flag.
_NAME = r"[A-Za-z][\w-]*"

P = ParamSpec("P")
R = TypeVar("R")


class Part(ABCMeta):
    """The type of classes that users make instances of by keywords."""

    if not TYPE_CHECKING:  # checkers read the class's own __init__

        def __call__(cls, *args, **keywords):
            try:
                return super().__call__(*args, **keywords)
            except TypeError:
                _require_known(cls, keywords)
                raise

        @property
        def __signature__(cls) -> inspect.Signature:
            """That of ``__init__``, which ``__call__`` would hide."""
            found = inspect.signature(cls.__init__)
            return found.replace(parameters=list(found.parameters.values())[1:])

    def names(cls) -> tuple[str, ...]:
        """What flags call it."""
        return (cls.name,)  # type: ignore[attr-defined]

    def lacks(cls) -> str:
        """What it must still have to be registered, in words; nothing if it is whole."""
        if not re.fullmatch(_NAME, str(getattr(cls, "name", ""))):
            return 'must have a name of letters, digits and hyphens, as in: name = "huber"'
        for method in sorted(cls.__abstractmethods__):
            function = getattr(cls, method)
            kind, takes = "the property", ""
            if callable(function):
                _, *given = inspect.signature(function).parameters
                kind, takes = "the method", f"({', '.join(given)})"
            return f"must have {kind} {method}{takes}"
        fields = [
            key for key, kind in inspect.get_annotations(cls).items() if "Class" not in str(kind)
        ]
        if fields and "__dataclass_fields__" not in vars(cls):
            return f"must have @dataclass(frozen=True) below @register for its field {fields[0]}"
        return ""

    @property
    def place(cls) -> str:
        """The file and line that a class outside attlas is written at, in brackets, or nothing."""
        if not cls.__module__.startswith("attlas.") or ".plugins." in cls.__module__:
            try:
                line = inspect.getsourcelines(cls)[1]
                return f" ({Path(inspect.getfile(cls)).name}, line {line})"
            except (OSError, TypeError):
                pass
        return ""


def names_checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which names the nearest of its keywords where one is misspelt."""

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*args, **keywords)
        except TypeError:
            _require_known(function, keywords)
            raise

    return checked


def _require_known(call: Callable[..., Any], keywords: Mapping[str, Any]) -> None:
    """Refuse a keyword that is not one, once a call has failed.

    Raises
    ------
    BadInput
    """
    parameters = inspect.signature(call).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    for name in keywords:
        if name not in parameters:
            found: BadInput = unknown_name(f"keyword of {call.__name__}", name, parameters)
            raise found from None
