"""An attribute computed when it is first read, without a lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class once(Generic[T]):
    """``functools.cached_property`` without its lock.

    Until Python 3.11 that lock is shared by all instances of a class. Here evaluation takes
    flint's lock inside the attribute and outside it, and two threads that take two locks in
    different orders wait for each other for ever. Two threads that read an attribute at the same
    time compute it twice, to the same value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        value = self.compute(instance)
        instance.__dict__[self.name] = value
        return value
