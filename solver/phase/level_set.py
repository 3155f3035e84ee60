"""Zeros of a function of a solution along a line, each in a bracket with proven signs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from scipy.optimize import brentq

from attlas.model import Problem
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Lines, Near
from attlas.solver.phase.plane import Axis, Plane
from attlas.solver.phase.row import Crossing, Row

#: A function whose sign tells the two sides of a boundary apart; None where it has no meaning.
Function = Callable[[Problem], Measured | None]

#: Points of the scan for sign changes along a line.
_SCAN = 13
#: Half width of the window about the place where neighbouring lines let a zero be expected.
_WINDOW = 0.03


def level_set(plane: Plane, function: Function, across: str) -> Lines:
    """The boundary where a function of the problem vanishes.

    Side 0 is where the function is negative. Zeros closer together than a twelfth of the axis can
    be missed in pairs.

    Parameters
    ----------
    plane : Plane
    function : callable
    across : {"x", "y"}
        The axis along which zeros are looked for.
    """
    axis = plane.x if across == "x" else plane.y

    def row(along: float, tolerance: float, near: Near) -> Row:
        def at(position: float) -> Measured | None:
            value = axis.at(position)
            return function(plane.problem(*((value, along) if across == "x" else (along, value))))

        return _followed(at, axis, tolerance, near) or _scanned(at, axis, tolerance)

    return Lines("x" if across == "x" else "y", row)


def _followed(
    at: Callable[[float], Measured | None], axis: Axis, tolerance: float, near: Near
) -> Row | None:
    """The row if its crossings are where neighbouring lines say, or None."""
    crossings, side = [], 0
    for index, position in enumerate(near):
        left, right = max(0.0, position - _WINDOW), min(1.0, position + _WINDOW)
        if index and left <= near[index - 1] + _WINDOW:
            return None
        one, other = at(left), at(right)
        if one is None or other is None or (one.value < 0) == (other.value < 0):
            return None
        if index == 0:
            side = int(one.value >= 0)
        crossings.append(_crossing(at, axis, left, right, tolerance))
    return Row(tuple(crossings), side) if crossings else None


def _scanned(at: Callable[[float], Measured | None], axis: Axis, tolerance: float) -> Row:
    grid = [index / (_SCAN - 1) for index in range(_SCAN)]
    defined = [(position, found) for position in grid if (found := at(position)) is not None]
    crossings = [
        _crossing(at, axis, left, right, tolerance)
        for (left, one), (right, other) in pairwise(defined)
        if (one.value < 0) != (other.value < 0)
    ]
    side = int(bool(defined) and defined[0][1].value >= 0)
    return Row(tuple(crossings), side)


def _crossing(
    at: Callable[[float], Measured | None], axis: Axis, left: float, right: float, tolerance: float
) -> Crossing:
    """A bracket at whose ends the signs differ by more than the error bars."""

    def value(position: float) -> float:
        found = at(position)
        return 0.0 if found is None else found.value

    root = float(brentq(value, left, right, xtol=tolerance / 8))  # type: ignore[arg-type]
    width = tolerance / 4
    while True:
        low, high = max(left, root - width), min(right, root + width)
        ends = at(low), at(high)
        if (low, high) == (left, right) or _differ(*ends):
            return Crossing(axis.at(root), axis.at(low), axis.at(high))
        width *= 2


def _differ(one: Measured | None, other: Measured | None) -> bool:
    if one is None or other is None:
        return False
    certain = abs(one.value) > one.error and abs(other.value) > other.error
    return certain and (one.value < 0) != (other.value < 0)
