"""Fixed points of a smooth map in a few unknowns: plain iteration finished by Newton."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Map = Callable[[Array], Array]

#: Plain steps without success after which their length is changed.
_LONG = 200
_LEAST_WEIGHT, _LARGEST_WEIGHT = 0.05, 16.0
#: Length up to which a lengthened step is allowed.
_LONG_STRIDE = 0.1
#: Distance to a known fixed point within which its Jacobian may tell where an iteration is going,
#: and how far from it, relative to that distance, the prediction may land.
_NEARBY, _AGREED = 0.3, 0.1
#: A Jacobian is that of the fixed point if taken closer than this.
_SAME = 0.01
#: Newton step below which its Jacobian is kept for the steps that follow.
_CLOSE = 0.05
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
) -> FixedPoint:
    """Iterate until the basin is clear, then take Newton steps.

    The plain iteration decides which fixed point is reached, also through the slow passages near
    a fixed point that has just ceased to exist; Newton finishes where the map attracts. An
    iteration that oscillates is damped. Success is the caller's judgement of ``residual``, never
    a flag.

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
    """
    x = np.asarray(start, dtype=float)
    value = step(x)
    used = 1
    patience, weight, plain = 6, 1.0, 0
    while used < max_steps and _size(value - x) > tolerance:
        turns = 0
        for _ in range(patience):
            if _size(value - x) <= tolerance or used >= max_steps:
                break
            defect = value - x
            x = x + min(weight, max(1.0, _LONG_STRIDE / _size(defect))) * defect
            value = step(x)
            used += 1
            turns += float(defect @ (value - x)) < 0
            for point in known:
                if _leads_to(point, x, value):
                    return replace(point, steps=used)
        finished = _newton(step, x, value, tolerance, max_steps - used)
        used += finished.steps
        if finished.residual <= tolerance:
            return replace(finished, steps=used)
        plain += patience
        if 2 * turns > patience or (turns and plain > _LONG):
            # Turning back and forth, or wandering for long: the map overshoots.
            weight, plain = max(0.5 * min(weight, 1.0), _LEAST_WEIGHT), 0
        elif plain > _LONG:
            # A long straight way: lengthen the steps.
            weight = min(2 * weight, _LARGEST_WEIGHT)
        patience = min(2 * patience, 60)
    return FixedPoint(x, value - x, derivative(step, x, value), used + x.size)


def _leads_to(point: FixedPoint, x: Array, value: Array) -> bool:
    distance = _size(x - point.x)
    if distance >= _NEARBY or np.max(np.linalg.eigvals(point.jacobian).real) >= 1:
        return False
    change = np.linalg.solve(np.eye(x.size) - point.jacobian, value - x)
    return _size(x + change - point.x) < _AGREED * distance


def refine(step: Map, near: FixedPoint, *, tolerance: float, max_steps: int) -> FixedPoint:
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


def _newton(step: Map, x: Array, value: Array, tolerance: float, max_steps: int) -> FixedPoint:
    """Newton steps while the map attracts and the residual falls.

    A Jacobian taken close by serves until the end, improved by what the steps show.
    """
    jacobian = taken = np.zeros((x.size, x.size))
    place = np.full(x.size, np.inf)
    used, close = 0, False
    try:
        while _size(value - x) > tolerance and used + x.size + 1 <= max_steps:
            if not close:
                jacobian = taken = derivative(step, x, value)
                place = x
                used += x.size
                if np.max(np.linalg.eigvals(jacobian).real) >= 1:
                    break
            change = np.linalg.solve(np.eye(x.size) - jacobian, value - x)
            close = _size(change) < _CLOSE
            change *= min(1.0, 0.5 / max(_size(change), 1e-300))
            following = step(x + change)
            used += 1
            if not _size(following - x - change) < 0.9 * _size(value - x):
                break
            jacobian = _updated(jacobian, change, following - value)
            x, value = x + change, following
        if _size(value - x) <= tolerance and _size(x - place) > _SAME:
            taken = derivative(step, x, value)
            used += x.size
    except (LeftDomain, np.linalg.LinAlgError):
        pass
    return FixedPoint(x, value - x, taken, used)


def _updated(
    jacobian: Array, change: NDArray[np.floating], response: NDArray[np.floating]
) -> Array:
    """Broyden's update, which keeps the Jacobian true along the direction taken."""
    return jacobian + np.outer(response - jacobian @ change, change) / (change @ change)


def _size(vector: NDArray[np.floating]) -> float:
    return float(np.max(np.abs(vector)))
