"""A symbolic value to the digits asked for, or enclosed by a ball."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from attlas.solver.thresholds.decimals import exact_ball, exact_value

#: Digits beyond those asked for, so that the last one shown is correctly rounded.
GUARD = 10


class SymbolicValue(Protocol):
    """A number of the symbolic room in any arithmetic."""

    def __call__(self, *, arithmetic: str, digits: int) -> Any: ...


@dataclass(frozen=True)
class Evaluated:
    """A value, and where it was proven, the radius of its enclosure.

    Attributes
    ----------
    value : Fraction
        Accurate to the digits asked for and some more.
    radius : Fraction or None
        Proven distance of ``value`` from the exact threshold; None without a proof.
    """

    value: Fraction
    radius: Fraction | None


def evaluated(
    value: SymbolicValue, digits: int, certify: bool, unique: Callable[[int], bool]
) -> Evaluated:
    """Evaluate a symbolic value; certified values are balls of interval arithmetic.

    Parameters
    ----------
    value : SymbolicValue
        In arb, a ball that contains a threshold (existence by a proven sign change).
    digits : int
    certify : bool
    unique : callable
        Proves, with as many digits, that the enclosed root is the only one in its ball.

    Notes
    -----
    theory.md section 7. Contexts are private: other threads at other precisions do not interfere.
    """
    if not certify:
        return Evaluated(exact_value(value(arithmetic="mpmath", digits=digits + GUARD)), None)
    from attlas.symbolic.enclosure import NotEnclosed

    try:
        middle, radius = exact_ball(value(arithmetic="arb", digits=digits + GUARD))
        if unique(digits + GUARD):
            return Evaluated(middle, radius)
    except NotEnclosed:
        pass
    return evaluated(value, digits, False, unique)
