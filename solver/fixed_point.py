"""Fixed points of a smooth map in a few positive unknowns: safeguarded Newton on logarithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Map = Callable[[Array], Array]


class LeftDomain(ArithmeticError):
    """The map was asked for, or returned, a value that is not finite."""


@dataclass(frozen=True)
class FixedPoint:
    """Where an iteration ended.

    Attributes
    ----------
    x : array
        Logarithms of the unknowns.
    residual : float
        max |map(x) - x|, recomputed at ``x``.
    jacobian : array
        Derivative of the map near ``x``.
    steps : int
        Evaluations of the map.
    """

    x: Array
    residual: float
    jacobian: Array
    steps: int

    @property
    def sensitivity(self) -> float:
        """How much a perturbation of the map moves the fixed point: |(1 - jacobian)^-1|."""
        try:
            inverse = np.linalg.inv(np.eye(self.x.size) - self.jacobian)
        except np.linalg.LinAlgError:
            return float("inf")
        return float(np.max(np.sum(np.abs(inverse), axis=1)))


def find(step: Map, start: Array, *, tolerance: float, max_steps: int) -> FixedPoint:
    """Iterate until the basin is clear, then take Newton steps.

    The plain iteration decides which fixed point is reached; Newton only finishes. Success is
    the caller's judgement of ``residual``, never a flag.

    Parameters
    ----------
    step : callable
        The map on logarithms; may raise :class:`LeftDomain`.
    start : array
    tolerance : float
        Residual at which to stop.
    max_steps : int
        Evaluations of the map allowed.
    """
    x = np.asarray(start, dtype=float)
    value = step(x)
    used = 1
    jacobian = np.zeros((x.size, x.size))
    patience = 6
    while used < max_steps and _size(value - x) > tolerance:
        for _ in range(patience):
            if _size(value - x) <= tolerance or used >= max_steps:
                break
            x, value = value, step(value)
            used += 1
        before = _size(value - x)
        newton = _newton(step, x, value, tolerance, max_steps - used)
        used += newton.steps
        if newton.residual < before:
            jacobian = newton.jacobian
            x, value = newton.x, step(newton.x)
            used += 1
            if newton.residual > 0.1 * before:
                patience = min(4 * patience, 400)
        else:
            patience = min(2 * patience, 400)
    if not jacobian.any():
        jacobian = derivative(step, x, value)
        used += x.size
    return FixedPoint(x, _size(value - x), jacobian, used)


def refine(step: Map, near: FixedPoint, *, tolerance: float, max_steps: int) -> FixedPoint:
    """Polish a fixed point of a neighbouring map by quasi-Newton steps with its Jacobian.

    Stops at ``tolerance``, or where the residual no longer falls, which for a map with small
    discontinuities is its noise.
    """
    x = near.x
    jacobian = near.jacobian.copy()
    value = step(x)
    used = 1
    best = FixedPoint(x, _size(value - x), jacobian, used)
    stalled = 0
    while best.residual > tolerance and used < max_steps and stalled < 3:
        change = np.linalg.solve(np.eye(x.size) - jacobian, value - x)
        change *= min(1.0, 0.5 / max(_size(change), 1e-300))
        following = step(x + change)
        used += 1
        # Broyden's update keeps the Jacobian true along the directions taken.
        predicted = value + jacobian @ change
        jacobian += np.outer(following - predicted, change) / (change @ change)
        x, value = x + change, following
        residual = _size(value - x)
        stalled = 0 if residual < 0.5 * best.residual else stalled + 1
        if residual < best.residual:
            best = FixedPoint(x, residual, near.jacobian, used)
    return FixedPoint(best.x, best.residual, near.jacobian, used)


def derivative(step: Map, x: Array, value: Array, width: float = 1e-5) -> Array:
    """Forward differences of the map."""
    columns = []
    for index in range(x.size):
        shifted = x.copy()
        shifted[index] += width
        columns.append((step(shifted) - value) / width)
    return np.stack(columns, axis=1)


def _newton(step: Map, x: Array, value: Array, tolerance: float, max_steps: int) -> FixedPoint:
    best = FixedPoint(x, _size(value - x), np.zeros((x.size, x.size)), 0)
    used = 0
    try:
        while best.residual > tolerance and used + x.size + 1 <= max_steps:
            jacobian = derivative(step, x, value)
            change = np.linalg.solve(np.eye(x.size) - jacobian, value - x)
            change *= min(1.0, 0.5 / max(_size(change), 1e-300))
            used += x.size + 1
            x = x + change
            value = step(x)
            residual = _size(value - x)
            if not residual < 0.5 * best.residual:
                break
            best = FixedPoint(x, residual, jacobian, used)
    except (LeftDomain, np.linalg.LinAlgError):
        pass
    return FixedPoint(best.x, best.residual, best.jacobian, used)


def _size(vector: NDArray[np.floating]) -> float:
    return float(np.max(np.abs(vector)))
