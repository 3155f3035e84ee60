"""What the eigenvalues of a target fix before any noise is added.

The transform G0(zeta) = sum_i w_i/(zeta - s_i) has its poles at the distinct eigenvalues. Between
two neighbours sum_i w_i/(u - s_i)^2 has one minimum; the noise delta leaves a gap there exactly
when delta^2 times that minimum is below one. Integrals along contours that cross the real axis
at such a point differ by residues, in closed form for any set of poles. theory.md section 16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attlas.solver.spectrum.integrals import Integrals
from attlas.solver.spectrum.law import UNIT, FloatArray

SCALARS = 4_000_000
CACHED_SPLITS = 16
CLOSEST = 1e-70  # fourth powers of inverse distances must stay finite


@dataclass(frozen=True)
class Split:
    """Coupling between the poles below and above a point: sums of weights over distances."""

    index: int
    outward: FloatArray
    inward: FloatArray


class Poles:
    """Distinct eigenvalues with their weights.

    Parameters
    ----------
    eigenvalues : array_like, shape (d,)
        Any finite numbers; equal ones, up to four rounding errors of the largest, are merged.

    Attributes
    ----------
    s, w : array, shape (k,)
        Distinct values, increasing, and weights (multiplicity over d).
    offset : array, shape (k - 1,)
        Distance from s[i] to the minimum of sum w/(u - s)^2 in the i-th gap.
    curvature : array, shape (k - 1,)
        That minimum.
    transform : array, shape (k - 1,)
        G0 there.
    """

    def __init__(self, eigenvalues: ArrayLike) -> None:
        values = np.sort(np.asarray(eigenvalues, dtype=float).ravel())
        scale = float(np.abs(values).max())
        new = np.concatenate(([True], np.diff(values) > max(4 * UNIT * scale, CLOSEST)))
        counts = np.diff(np.append(np.flatnonzero(new), values.size))
        self.s = values[new]
        self.w = counts / values.size
        self.q0 = float(np.mean(values * values))
        self.mean = float(np.mean(values))
        self.rank_fraction = float(np.mean(np.abs(values) > 4 * UNIT * scale))
        self.offset, self.curvature, self.transform = self._gaps()
        self._splits: dict[int, Split] = {}

    def _gaps(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        count = self.s.size - 1
        offset, curvature, transform = np.empty(count), np.empty(count), np.empty(count)
        rows = max(1, SCALARS // self.s.size)
        for start in range(0, count, rows):
            part = slice(start, min(start + rows, count))
            offset[part], curvature[part], transform[part] = self._gap_minima(part)
        return offset, curvature, transform

    def _gap_minima(self, part: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Newton on sum w/(u - s)^3 = 0, decreasing across the gap, kept in its bracket."""
        left, width = self.s[part], np.diff(self.s)[part]
        weights = np.cbrt(self.w)
        apart = left[:, None] - self.s
        low, high = np.zeros_like(width), width.copy()
        tau = width * (weights[:-1] / (weights[:-1] + weights[1:]))[part]
        active = np.arange(tau.size)
        for _ in range(60):
            inverse = 1 / (apart[active] + tau[active, None])
            square = inverse * inverse
            value = (square * inverse) @ self.w
            slope = -3 * ((square * square) @ self.w)
            here = tau[active]
            low[active] = np.where(value > 0, here, low[active])
            high[active] = np.where(value > 0, high[active], here)
            new = here - value / slope
            kept = (new > low[active]) & (new < high[active])
            new = np.where(kept, new, (low[active] + high[active]) / 2)
            tau[active] = new
            active = active[np.abs(new - here) > 1e-7 * width[active]]
            if active.size == 0:
                break
        inverse = 1 / (apart + tau[:, None])
        return tau, (inverse * inverse) @ self.w, inverse @ self.w

    def split(self, index: int) -> Split:
        """Couplings of the poles [0, index) with the poles [index, k)."""
        found = self._splits.get(index)
        if found is None:
            apart = 1 / (self.s[index:, None] - self.s[:index])
            found = Split(index, apart @ self.w[:index], self.w[index:] @ apart)
            if len(self._splits) >= CACHED_SPLITS:
                self._splits.pop(next(iter(self._splits)))
            self._splits[index] = found
        return found

    def above(self, index: int, t: float, epsilon: float) -> Integrals:
        """Residues of the poles [index, k): the integrals over what grows out of them."""
        split = self.split(index)
        return self._residues(
            slice(index, None), slice(None, index), split.outward, split.inward, t, epsilon
        )

    def below(self, index: int, t: float, epsilon: float) -> Integrals:
        """Residues of the poles [0, index)."""
        split = self.split(index)
        return self._residues(
            slice(None, index), slice(index, None), -split.inward, -split.outward, t, epsilon
        )

    def within(self, index: int, t: float) -> Integrals:
        """Residues about zero of the poles between the mirrored ones of [index, k) and these.

        Of an even list; where the two cross, those between count against it.
        """
        mirror, turn = self.s.size - index, 1.0
        if mirror > index:
            mirror, index, turn = index, mirror, -1.0
        under, over = self.split(mirror), self.split(index)
        push = under.outward[: index - mirror] - over.inward[mirror:]
        pull = over.outward - under.outward[index - mirror :]
        rest = np.concatenate([np.arange(mirror), np.arange(index, self.s.size)])
        both = np.concatenate([pull[::-1], -pull])
        return self._residues(slice(mirror, index), rest, push, both, t, 0.0) * turn

    def _residues(
        self,
        own: slice,
        rest: slice | NDArray[np.intp],
        push: FloatArray,
        pull: FloatArray,
        t: float,
        epsilon: float,
    ) -> Integrals:
        """Moments about epsilon of a set of poles; ``push`` acts on it, ``pull`` on the rest.

        No pair inside the set appears, so nearly equal eigenvalues do no harm.
        """
        w, x = self.w[own], self.s[own] - epsilon
        mass = float(w.sum())
        base, lift = float(w @ x), float(w @ push)
        square, cross = float(w @ (x * x)), 2 * float(w @ (x * push))
        own_square, rest_square = float(w @ (push * push)), float(self.w[rest] @ (pull * pull))
        linear, bend = mass * mass + cross, own_square - rest_square
        size = float(w @ np.abs(x))
        crossed = mass * mass + 2 * float(w @ np.abs(x * push))
        bent = own_square + rest_square
        unit = 16 * UNIT
        delta = t**0.5
        return Integrals(
            mass,
            base + t * lift,
            square + t * linear + t * t * bend,
            2 * delta * (linear + 2 * t * bend),
            unit * mass,
            unit * (size + t * abs(lift)),
            unit * (square + t * crossed + t * t * bent),
            2 * delta * unit * (crossed + 2 * t * bent),
        )
