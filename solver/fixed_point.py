"""Fixed points of a smooth map in a few unknowns: where its flow ends, in implicit steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attlas.solver.budget import now

Array = NDArray[np.float64]
Map = Callable[[Array], Array]

#: Plain steps before the first Jacobian: a rough start may lie where it tells nothing.
_PLAIN = 4
#: Time of the first implicit step, and of the longest: then it is Newton's.
_FIRST_TIME, _LONGEST_TIME = 2.0, 1e12
#: Time of a step where the flow grows, over that of its growth.
_LEAVING = 0.5
#: On logarithms.
_LONGEST_STEP = 1.0
#: Part of the defect by which a step may come out other than predicted; much less is rewarded.
_AGREES, _FASTER = 0.4, 3.0
_LEAST_TIME = 1e-3
#: Evaluations in which an iteration that moves less than this meets only the noise of its map.
_LONG, _STILL = 30, 1e-3
#: Distance to a known fixed point within which its Jacobian may tell where an iteration is going,
#: and how far from it, relative to that distance, the prediction may land.
_NEARBY, _AGREED = 0.3, 0.1
#: A Jacobian is that of the fixed point if taken closer than this.
_SAME = 0.01
#: Steps longer than this tell more about a Jacobian than the noise of a map hides.
_TELLING = 1e-6


class LeftDomain(ArithmeticError):
    """The map was asked for, or returned, a value that is not finite."""


@dataclass(frozen=True)
class FixedPoint:
    """Where an iteration ended.

    Attributes
    ----------
    x : array
        The unknowns, in coordinates in which the map is smooth.
    defect : array
        map(x) - x, recomputed at ``x``.
    jacobian : array
        Derivative of the map near ``x``.
    steps : int
        Evaluations of the map.
    """

    x: Array
    defect: Array
    jacobian: Array
    steps: int

    @property
    def residual(self) -> float:
        """max |map(x) - x|."""
        return _size(self.defect)

    @property
    def displacement(self) -> float:
        """First-order distance to the true fixed point, |(1 - jacobian)^-1 defect|."""
        try:
            return _size(np.linalg.solve(np.eye(self.x.size) - self.jacobian, self.defect))
        except np.linalg.LinAlgError:
            return float("inf")

    @property
    def sensitivity(self) -> float:
        """How much a perturbation of the map moves the fixed point: |(1 - jacobian)^-1|."""
        try:
            inverse = np.linalg.inv(np.eye(self.x.size) - self.jacobian)
        except np.linalg.LinAlgError:
            return float("inf")
        # A coordinate that the map sets exactly (eta = 1) receives no perturbation to pass on.
        exact = (self.defect == 0) & ~self.jacobian.any(axis=1)
        return float(np.max(np.sum(np.abs(inverse[:, ~exact]), axis=1), initial=1.0))


def find(
    step: Map,
    start: Array,
    *,
    tolerance: float,
    max_steps: int,
    known: Sequence[FixedPoint] = (),
    until: float = math.inf,
) -> FixedPoint:
    """Follow the flow dx/dt = map(x) - x, which iteration integrates crudely, to its end.

    After a few plain steps, implicit ones with a Jacobian kept by what they show. They grow as they
    come out as predicted, and become Newton's where the flow attracts; where it leaves a fixed
    point they stay short enough to leave with it, so that the flow decides which fixed point is
    reached, also through the slow passages near one that has just ceased to exist. Success is the
    caller's judgement of ``residual``, never a flag.

    Parameters
    ----------
    step : callable
        The map; may raise :class:`LeftDomain`.
    start : array
    tolerance : float
        Residual at which to stop.
    max_steps : int
        Evaluations of the map allowed.
    known : sequence of FixedPoint
        Fixed points of this map found before; one of them is returned, with the steps of this
        iteration, as soon as its Jacobian predicts that the iteration ends there.
    until : float
        Time, of :func:`attlas.solver.budget.now`, at which the search is given up.
    """
    x = np.asarray(start, dtype=float)
    value = step(x)
    used, time = 1, _FIRST_TIME
    earlier, looked = np.full(x.size, np.inf), 1
    one = np.eye(x.size)
    jacobian, place, fresh = one, np.full(x.size, np.inf), False
    while used < max_steps and _size(value - x) > tolerance and now() < until:
        if used >= looked + _LONG:
            if _size(x - earlier) < _STILL:
                break
            earlier, looked = x, used
        for point in known:
            if _leads_to(point, x, value):
                return replace(point, steps=used)
        defect = value - x
        if used <= _PLAIN:
            x, value, used = value, step(value), used + 1
            continue
        if not np.all(np.isfinite(place)):
            jacobian, place, fresh = derivative(step, x, value), x, True
            used += x.size
        growth = float(np.max(np.linalg.eigvals(jacobian).real)) - 1
        time = min(time, _LEAVING / growth) if growth > 0 else time
        change: Array = np.linalg.solve((1 + 1 / time) * one - jacobian, defect).astype(np.float64)
        change *= min(1.0, _LONGEST_STEP / _size(change))
        following = _tried(step, x + change)
        used += 1
        left = following - x - change
        missed = _size(left - defect - (jacobian - one) @ change) / _size(defect)
        if missed <= _AGREES:
            jacobian = _updated(jacobian, change, following - value)
            x, value = x + change, following
            time = min(time * (_FASTER if missed < _AGREES / 4 else 1.0), _LONGEST_TIME)
            fresh = False
        elif fresh:
            time = max(min(time, _size(change) / _size(defect)) / 4, _LEAST_TIME)
        else:
            place = np.full(x.size, np.inf)
    if _size(x - place) > _SAME:
        jacobian, used = derivative(step, x, value), used + x.size
    return FixedPoint(x, value - x, jacobian, used)


def _tried(step: Map, x: Array) -> Array:
    try:
        return step(x)
    except LeftDomain:
        return np.full(x.size, np.inf)


def _leads_to(point: FixedPoint, x: Array, value: Array) -> bool:
    distance = _size(x - point.x)
    if distance >= _NEARBY or np.max(np.linalg.eigvals(point.jacobian).real) >= 1:
        return False
    change = np.linalg.solve(np.eye(x.size) - point.jacobian, value - x)
    return _size(x + change - point.x) < _AGREED * distance


def refine(
    step: Map, near: FixedPoint, *, tolerance: float, max_steps: int, until: float = math.inf
) -> FixedPoint:
    """Polish a fixed point of a neighbouring map by quasi-Newton steps with its Jacobian.

    Stops at ``tolerance``, or where the residual no longer falls, which for a map with small
    discontinuities is its noise. The Jacobian returned holds what the longer steps have shown.
    """
    x = near.x
    jacobian = certain = near.jacobian
    value = step(x)
    used = 1
    best = FixedPoint(x, value - x, certain, used)
    stalled = 0
    while best.residual > tolerance and used < max_steps and stalled < 3:
        if now() > until:
            break
        change = np.linalg.solve(np.eye(x.size) - jacobian, value - x)
        change *= min(1.0, 0.5 / max(_size(change), 1e-300))
        following = step(x + change)
        used += 1
        jacobian = _updated(jacobian, change, following - value)
        if _size(change) > _TELLING:
            certain = jacobian
        x, value = x + change, following
        residual = _size(value - x)
        stalled = 0 if residual < 0.5 * best.residual else stalled + 1
        if residual < best.residual:
            best = FixedPoint(x, value - x, certain, used)
    return FixedPoint(best.x, best.defect, certain, used)


def derivative(step: Map, x: Array, value: Array, width: float = 1e-5) -> Array:
    """Forward differences of the map."""
    columns = []
    for index in range(x.size):
        shifted = x.copy()
        shifted[index] += width
        columns.append((step(shifted) - value) / width)
    return np.stack(columns, axis=1)


def _updated(
    jacobian: Array, change: NDArray[np.floating], response: NDArray[np.floating]
) -> Array:
    """Broyden's update, which keeps the Jacobian true along the direction taken."""
    return jacobian + np.outer(response - jacobian @ change, change) / (change @ change)


def _size(vector: NDArray[np.floating]) -> float:
    return float(np.max(np.abs(vector)))
