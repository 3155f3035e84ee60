"""Jumps of the proximal point along lines of fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.curve import Curve

Array = NDArray[np.floating]
Index = NDArray[np.intp]

_TIE_STEPS = 40
#: Distance of u + v, in units of 1/beta, below which a jump is none.
_SMALL_JUMP = 1e-5
#: Mismatch of t between the two ends of a jump.
_SAME_PLACE = 1e-9


@dataclass(frozen=True)
class Stretches:
    """Pieces of curves of stationary points, from ``low`` to ``high``, one line each."""

    line: Index
    low: Array
    high: Array

    def take(self, index: Index) -> Stretches:
        """Some of the stretches."""
        return Stretches(self.line[index], self.low[:, index], self.high[:, index])

    @staticmethod
    def join(*parts: Stretches) -> Stretches:
        """All stretches of several collections."""
        return Stretches(
            np.concatenate([part.line for part in parts]),
            np.concatenate([part.low for part in parts], axis=1),
            np.concatenate([part.high for part in parts], axis=1),
        )


def divide(curve: Curve, stretches: Stretches) -> Stretches:
    """Take the jump out of each stretch between two proximal points, or halve it.

    There are two parts per stretch.
    """
    own = curve.take(stretches.line)
    begin, end = own.place(stretches.low), own.place(stretches.high)
    low, high = _tie(own, stretches.low, stretches.high)
    t = own.exchange(low, high)
    jump = np.sum(high - low, axis=0) * curve.model.beta > _SMALL_JUMP
    jump &= (t > begin) & (t < end)
    jump &= np.maximum(np.abs(own.place(low) - t), np.abs(own.place(high) - t)) < _SAME_PLACE
    t = np.where(jump, t, 0.5 * (begin + end))
    field = curve.field_at(stretches.line, t)
    best = curve.model.global_minimum(own.label, field, low, high, mixed=True)
    # A third minimum may lie below both: then cut there.
    problem = curve.model.problem(own.label, field)
    jump &= problem.objective(best) > problem.objective(low) - 1e-11
    low, high = np.where(jump, low, best), np.where(jump, high, best)
    return Stretches.join(
        Stretches(stretches.line, stretches.low, low),
        Stretches(stretches.line, high, stretches.high),
    )


def _tie(curve: Curve, low: Array, high: Array) -> tuple[Array, Array]:
    """Two stationary points of equal t and equal objective between two given ones.

    Alternates between t at which the two objectives agree and the points stationary at that t.
    The first is insensitive to the second at the solution: the iteration converges
    quadratically.
    """
    number = low.shape[1]
    left = np.arange(number)
    tied = np.stack([low, high], axis=1)
    # Both ends of every stretch side by side, so that one call serves both.
    ends, both = tied, curve.take(np.tile(left, 2))
    bottom, top = low[0] + low[1], high[0] + high[1]
    for _ in range(_TIE_STEPS):
        t = curve.exchange(ends[:, 0], ends[:, 1])
        total = ends[0] + ends[1]
        limit = np.minimum(1 / curve.model.beta, 0.45 * (total[1] - total[0]))
        flat = ends.reshape(2, -1)
        step = (np.tile(t, 2) - both.place(flat)) / np.maximum(both.rate(flat), 1e-12)
        target = total + np.clip(step.reshape(2, -1), -limit, limit)
        target = np.clip(target, bottom, top)
        ends = both.at_total(target.ravel(), flat[0] - flat[1]).reshape(2, 2, -1)
        going = np.max(np.abs(target - total), axis=0) * curve.model.beta >= 1e-8
        tied[:, :, left] = ends
        if not going.any():
            break
        if np.count_nonzero(going) < 0.7 * left.size:
            left, ends, bottom, top = left[going], ends[:, :, going], bottom[going], top[going]
            curve = curve.take(np.flatnonzero(going))
            both = curve.take(np.tile(np.arange(left.size), 2))
    return tied[:, 0], tied[:, 1]
