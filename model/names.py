"""Misspelt keywords: every part and every function of the front door names the nearest one."""

from __future__ import annotations

import functools
import inspect
from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attlas.model.errors import BadInput, unknown_name

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
