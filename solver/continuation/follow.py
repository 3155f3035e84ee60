"""Follow solutions along a parameter, around folds, to every branch and transition.

Pseudo-arclength continuation (Keller): a point (x, t) is continued along the curve of fixed points
F(x, t) = map(x; t) - x = 0 by a step along its tangent and Newton's method in the plane across it.
Away from folds this is natural continuation with Newton's predictor; at a fold, where no solution
exists on one side of t, it turns round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from attlas.solver.continuation.family import (
    NEWTON,
    STALLED,
    TOLERANCE,
    Family,
    Point,
    corrected,
    jacobian,
    size,
)
from attlas.solver.fixed_point import Array, LeftDomain

#: Lengths of a step along the curve, as shares of the range of t.
_FIRST, _LONGEST, _SHORTEST = 0.02, 0.2, 1e-6
#: Steps along one curve in one direction.
_MOST_STEPS = 400


@dataclass(frozen=True)
class Fold:
    """Where a branch turns round: a spinodal.

    Attributes
    ----------
    t, low, high : float
        The extreme value of the parameter, and a bracket from the points beside it.
    x : array
    """

    t: float
    low: float
    high: float
    x: Array


@dataclass(frozen=True)
class Branch:
    """A curve of fixed points between two folds or ends, t increasing.

    Attributes
    ----------
    points : tuple of Point
    """

    points: tuple[Point, ...]

    @property
    def low(self) -> float:
        return self.points[0].t

    @property
    def high(self) -> float:
        return self.points[-1].t

    def guess(self, t: float) -> Array:
        """x at t by interpolation between the points."""
        ts = [point.t for point in self.points]
        xs = np.array([point.x for point in self.points])
        return np.array([np.interp(t, ts, column) for column in xs.T])


@dataclass
class Curve:
    """A connected curve of fixed points.

    Attributes
    ----------
    points : list of Point
        In order along the curve.
    folds : list of Fold
    complete : bool
        Whether it was followed to both ends of the range; otherwise it left the domain, or the
        steps allowed were not enough.
    """

    points: list[Point] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    complete: bool = True

    def branches(self) -> tuple[Branch, ...]:
        """The curve cut at its folds."""
        pieces: list[list[Point]] = [[self.points[0]]]
        direction = 0.0
        for before, after in pairwise(self.points):
            turned = direction * (after.t - before.t) < 0
            direction = after.t - before.t
            if turned:
                pieces.append([before])
            pieces[-1].append(after)
        ordered = [piece if piece[0].t < piece[-1].t else piece[::-1] for piece in pieces]
        return tuple(Branch(tuple(piece)) for piece in ordered if len(piece) > 1)


def follow(family: Family, start: Point, low: float, high: float) -> Curve:
    """The whole curve through a fixed point, as far as it stays within low <= t <= high.

    Parameters
    ----------
    family : Family
    start : Point
        With low <= t <= high.
    low, high : float

    Returns
    -------
    Curve
        Folds are refined by Newton's method on the turning point's own condition.
    """
    forward = _Walk(family, start, low, high, +1.0)
    backward = _Walk(family, start, low, high, -1.0)
    ahead, behind = list(forward), list(backward)
    points = [*behind[::-1], start, *ahead]
    return Curve(points, [*backward.folds, *forward.folds], forward.complete and backward.complete)


class _Walk:
    """Points along a curve in one direction; iterate once."""

    def __init__(self, family: Family, start: Point, low: float, high: float, sign: float) -> None:
        self.family, self.start, self.low, self.high, self.sign = family, start, low, high, sign
        self.folds: list[Fold] = []
        self.complete = False

    def __iter__(self) -> Iterator[Point]:
        here = self.start
        tangent = self._tangent(here, None)
        length = _FIRST * (self.high - self.low)
        if length == 0:
            return
        longest = _LONGEST * (self.high - self.low)
        for _ in range(_MOST_STEPS):
            found = self._next(here, tangent, length)
            if found is None:
                length /= 2
                if length < _SHORTEST * (self.high - self.low):
                    return
                continue
            following, steps = found
            if not self.low <= following.t <= self.high:
                end = self.low if following.t < self.low else self.high
                last = corrected(self.family, self._between(here, following, end), end)
                self.complete = last is not None
                if last is not None and last.t != here.t:
                    yield last
                return
            turned = self._tangent(following, tangent)
            if turned[-1] * tangent[-1] < 0:
                fold = self._fold(here, tangent, length)
                self.folds.append(fold)
                yield Point(fold.x, fold.t, 0.0)
            yield following
            here, tangent = following, turned
            length = min(longest, length * (1.5 if steps <= 3 else 0.7))

    @staticmethod
    def _between(one: Point, other: Point, t: float) -> Array:
        weight = (t - one.t) / (other.t - one.t)
        return one.x + weight * (other.x - one.x)

    def _tangent(self, at: Point, before: Array | None) -> Array:
        """Unit vector along the curve: the null direction of the Jacobian of F in (x, t)."""
        value = self.family.step(at.x, at.t) - at.x
        direction = np.linalg.svd(jacobian(self.family, at.x, at.t, value))[2][-1]
        along = self.sign * direction[-1] if before is None else float(direction @ before)
        return direction if along >= 0 else -direction

    def _next(self, here: Point, tangent: Array, length: float) -> tuple[Point, int] | None:
        """The point of the curve at a distance, and Newton's steps; None where they fail."""
        guess = np.append(here.x, here.t) + length * tangent
        z, used = guess.copy(), 0
        try:
            value = self._defect(z)
            for _ in range(NEWTON):
                defect = np.append(value, tangent @ (z - guess))
                if size(defect) <= TOLERANCE:
                    break
                matrix = np.vstack([jacobian(self.family, z[:-1], z[-1], value), tangent])
                change = np.linalg.solve(matrix, -defect)
                if size(change) > 2 * length:
                    return None
                z = z + change
                used += 1
                moved = self._defect(z)
                if size(moved) > 0.5 * size(value) and size(moved) <= STALLED:
                    value = moved
                    break
                value = moved
            else:
                return None
        except (LeftDomain, np.linalg.LinAlgError):
            return None
        if size(value) > STALLED:
            return None
        return Point(z[:-1], float(z[-1]), size(value)), used

    def _defect(self, z: Array) -> Array:
        return self.family.step(z[:-1], float(z[-1])) - z[:-1]

    def _fold(self, here: Point, tangent: Array, length: float) -> Fold:
        """The turning point within a step: where the tangent has no component along t."""

        def component(distance: float) -> float:
            point = self._at(here, tangent, distance)
            return float(self._tangent(point, tangent)[-1])

        distance = float(brentq(component, 0.0, length, xtol=1e-10 * length))  # type: ignore[arg-type]
        point = self._at(here, tangent, distance)
        # t is stationary at the fold: beside it t is off by the square of the distance.
        around = [
            self._at(here, tangent, min(max(distance + shift * length, 0.0), length)).t
            for shift in (-1e-3, 1e-3)
        ]
        spread = max(abs(t - point.t) for t in around) + 1e-12 * (self.high - self.low)
        return Fold(point.t, point.t - spread, point.t + spread, point.x)

    def _at(self, here: Point, tangent: Array, distance: float) -> Point:
        if distance == 0:
            return here
        found = self._next(here, tangent, distance)
        if found is None:
            raise LeftDomain("the curve was lost near a fold")
        return found[0]
