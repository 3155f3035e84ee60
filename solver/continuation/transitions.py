"""Where branches exchange the lowest free energy, and where they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.optimize import brentq

from attlas.solver.continuation.family import Family, Point, corrected, size
from attlas.solver.continuation.follow import Branch, Fold, follow
from attlas.solver.fixed_point import Array, LeftDomain


@dataclass(frozen=True)
class Transition:
    """A first-order transition (equal free energies) or a spinodal (a branch ends at a fold).

    Attributes
    ----------
    kind : {"first-order", "spinodal"}
    location : float
        Of the parameter t.
    bracket : (float, float)
    branches : tuple of int
        Indices of the branches that meet.
    """

    kind: str
    location: float
    bracket: tuple[float, float]
    branches: tuple[int, ...]


#: Relative width of the bracket about equal free energies.
_ENERGY_WIDTH = 1e-7


def transitions(
    family: Family, branches: tuple[Branch, ...], folds: Sequence[Fold]
) -> tuple[Transition, ...]:
    """All transitions among branches, in the order of the parameter.

    Parameters
    ----------
    family : Family
    branches : tuple of Branch
    folds : list of Fold
    """
    found = [
        Transition("spinodal", fold.t, (fold.low, fold.high), _meeting(branches, fold))
        for fold in folds
    ]
    for first, second in combinations(enumerate(branches), 2):
        found += _equal_energies(family, first, second)
    return tuple(sorted(found, key=lambda transition: transition.location))


def _meeting(branches: tuple[Branch, ...], fold: Fold) -> tuple[int, ...]:
    """The branches that end at a fold."""
    return tuple(
        index
        for index, branch in enumerate(branches)
        for end in (branch.points[0], branch.points[-1])
        if np.array_equal(end.x, fold.x)
    )


def _equal_energies(
    family: Family, first: tuple[int, Branch], second: tuple[int, Branch]
) -> list[Transition]:
    (i, one), (j, other) = first, second
    low, high = max(one.low, other.low), min(one.high, other.high)
    inner = sorted({p.t for branch in (one, other) for p in branch.points if low < p.t < high})

    def difference(t: float) -> float:
        points = [corrected(family, branch.guess(t), t) for branch in (one, other)]
        if points[0] is None or points[1] is None:
            raise LeftDomain("a branch was lost between two of its points")
        return family.energy(points[0].x, t) - family.energy(points[1].x, t)

    values = [(t, difference(t)) for t in inner]
    found = []
    for (left, before), (right, after) in pairwise(values):
        if (before < 0) == (after < 0):
            continue
        width = _ENERGY_WIDTH * (right - left)
        at = float(brentq(difference, left, right, xtol=width / 2))  # type: ignore[arg-type]
        bracket = (max(left, at - width), min(right, at + width))
        found.append(Transition("first-order", at, bracket, (i, j)))
    return found


def all_branches(
    family: Family, starts: Callable[[float], list[Array]], values: Sequence[float]
) -> tuple[tuple[Branch, ...], list[Fold], bool]:
    """Every branch that the starts at given values of t reach, each followed over the range.

    Parameters
    ----------
    family : Family
    starts : callable
        Fixed points found at a value of t without continuation.
    values : sequence of float
        Increasing; the first and the last bound the range.

    Returns
    -------
    branches, folds, complete
        ``complete`` is False where a curve was lost.
    """
    low, high = values[0], values[-1]
    branches: list[Branch] = []
    folds: list[Fold] = []
    complete = True
    for t in values:
        for x in starts(t):
            start = corrected(family, x, t)
            if start is None or any(_passes(family, branch, start) for branch in branches):
                continue
            curve = follow(family, start, low, high)
            branches += curve.branches()
            folds += curve.folds
            complete = complete and curve.complete
    return tuple(branches), folds, complete


#: Fixed points at one t closer than this are one.
_SAME = 1e-5


def _passes(family: Family, branch: Branch, point: Point) -> bool:
    """Whether a branch goes through a point."""
    if not branch.low <= point.t <= branch.high:
        return False
    here = corrected(family, branch.guess(point.t), point.t)
    return here is not None and size(here.x - point.x) < _SAME
