"""The functions that losses are written in, whatever computes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol


class Functions(Protocol):
    """exp, log, ... of one library: of numbers, of arrays, or of symbols.

    ``number`` reads a field of a channel, ``where`` chooses between two values, and ``softmax`` and
    ``log_softmax`` are those of a row of scores, without overflow. Powers and ``abs`` are
    Python's own.
    """

    @property
    def exp(self) -> Any: ...
    @property
    def log(self) -> Any: ...
    @property
    def sqrt(self) -> Any: ...
    @property
    def tanh(self) -> Any: ...
    @property
    def cosh(self) -> Any: ...
    def number(self, value: Any, /) -> Any: ...
    def where(self, condition: Any, yes: Any, no: Any, /) -> Any: ...
    def maximum(self, left: Any, right: Any, /) -> Any: ...
    def softmax(self, row: Sequence[Any], /) -> Any: ...
    def log_softmax(self, row: Sequence[Any], /) -> Any: ...


class Plain:
    """The functions of Python's own numbers."""

    exp, log, sqrt = staticmethod(math.exp), staticmethod(math.log), staticmethod(math.sqrt)
    tanh, cosh = staticmethod(math.tanh), staticmethod(math.cosh)
    number, maximum = staticmethod(float), staticmethod(max)

    @staticmethod
    def where(condition: bool, yes: float, no: float) -> float:
        return yes if condition else no

    @staticmethod
    def softmax(row: Sequence[float]) -> Sequence[float]:
        weights = [math.exp(score - max(row)) for score in row]
        return [weight / sum(weights) for weight in weights]

    @staticmethod
    def log_softmax(row: Sequence[float]) -> Sequence[float]:
        total = max(row) + math.log(sum(math.exp(score - max(row)) for score in row))
        return [score - total for score in row]
