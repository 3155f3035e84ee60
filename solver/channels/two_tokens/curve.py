"""Stationary points of the proximal problem along lines of fields, by the sum of their scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.fields import FieldModel
from attlas.solver.channels.two_tokens.proximal import ProximalProblem

Array = NDArray[np.floating]
Index = NDArray[np.intp]

_NEWTON_STEPS = 30
_LAST_STEP = 1e-7


@dataclass(frozen=True)
class Curve:
    """Stationary points on many lines omega = base + t push (1, 1).

    On a line the stationary points form a curve. Its natural coordinate is total = u + v: the
    difference u - v solves an equation in one unknown that does not know t, and t follows
    explicitly, so that nothing is singular where the proximal point jumps or is steep. On the
    part of the curve that is the proximal point total never falls with t, because a proximal map
    is the gradient of a convex function.

    Attributes
    ----------
    model : FieldModel
    label, field : array (2, N)
        Labels, and fields at t = 0, of each line.
    problem : ProximalProblem
        The proximal problems at t = 0.
    """

    model: FieldModel
    label: Array
    field: Array
    problem: ProximalProblem

    @classmethod
    def on(cls, model: FieldModel, label: Array, field: Array) -> Curve:
        """The curves of given lines."""
        return cls(model, label, field, model.problem(label, field))

    def take(self, index: Index) -> Curve:
        """Some of the lines, possibly repeated."""
        return Curve(
            self.model, self.label[:, index], self.field[:, index], self.problem.take(index)
        )

    def field_at(self, line: Index, t: Array) -> Array:
        """Fields at places t on some of the lines, shape (2, N)."""
        return self.field[:, line] + self.model.pair.axes[0] * t

    def at_total(self, total: Array, guess: Array) -> Array:
        """The stationary point with a given u + v, from a guess of u - v; shape (2, N)."""
        problem, stiff = self.problem, self.model.sigma * (self.model.pair.diagonal - 1)
        offset = problem.omega[0] - problem.omega[1]
        found = guess.copy()
        index = np.arange(guess.size)
        here, part, sums, shift = guess, problem, total, offset
        for _ in range(_NEWTON_STEPS):
            h = 0.5 * np.stack([sums + here, sums - here])
            r, bend = part.slopes(h)
            value = here - shift - stiff * (r[0] - r[1])
            slope = 1 + 0.5 * stiff * (bend[0] + bend[1])
            # Where the equation turns back, the size of the curvature still goes downhill.
            slope = np.where(slope > 0.1, slope, 1 + 0.5 * stiff * np.sum(np.abs(bend), axis=0))
            step = value / slope
            size = np.abs(step) * problem.beta
            here = here - step / np.maximum(1.0, size)
            going = size > _LAST_STEP
            left = int(np.count_nonzero(going))
            if left == 0 or left < 0.7 * index.size:
                found[index[~going]] = here[~going]
                index, here, sums, shift = index[going], here[going], sums[going], shift[going]
                part = part.take(going)
                if left == 0:
                    break
        found[index] = here
        return 0.5 * np.stack([total + found, total - found])

    def place(self, h: Array) -> Array:
        """t at which a point of the curve is stationary."""
        r = self.problem.residual(h)
        away = np.sum(h - self.problem.omega, axis=0)
        pulled = self.model.sigma * (self.model.pair.diagonal + 1) * (r[0] + r[1])
        return (away - pulled) / (2 * self.model.push)

    def rate(self, h: Array) -> Array:
        """dt/dtotal along the curve; negative on saddles."""
        return self.model.rate(self.problem.curvature(h))

    def exchange(self, low: Array, high: Array) -> Array:
        """t at which two points, kept fixed, have the same objective."""
        gap = self.problem.objective(high) - self.problem.objective(low)
        apart = np.sum(high - low, axis=0)
        return (
            gap
            * self.model.sigma
            * (self.model.pair.diagonal + 1)
            / (self.model.push * np.maximum(apart, 1e-9))
        )
