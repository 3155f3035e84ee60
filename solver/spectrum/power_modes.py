"""Sums over the eigenvalues of a power law with any number of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from attlas.solver.spectrum.law import FloatArray

#: Eigenvalues that are taken one by one; beyond, sums are integrals with end corrections.
EXPLICIT = 4000
_NODES = 12


@dataclass(frozen=True)
class PowerModes:
    """Eigenvalues s_i = scale i^-gamma, i = 1..d.

    Attributes
    ----------
    gamma, scale : float
    d : int
    """

    gamma: float
    scale: float
    d: int

    def moment(self, power: int) -> float:
        """(1/d) sum s_i^power."""
        explicit = np.arange(1, min(EXPLICIT, self.d) + 1) ** (-power * self.gamma)
        total = float(explicit.sum()) + self.tail(power * self.gamma, EXPLICIT + 1)
        return self.scale**power * total / self.d

    def tail(self, p: float, first: int) -> float:
        """sum_(i = first)^d i^-p by Euler-Maclaurin; ``first`` of order 100 or more."""
        if first > self.d:
            return 0.0
        low, high = float(first), float(self.d)
        ratio = np.log(high / low)
        integral = low ** (1 - p) * (ratio if p == 1 else np.expm1((1 - p) * ratio) / (1 - p))
        ends = (low**-p + high**-p) / 2
        slopes = p * (low ** (-p - 1) - high ** (-p - 1)) / 12
        third = p * (p + 1) * (p + 2) * (low ** (-p - 3) - high ** (-p - 3)) / 720
        return float(integral + ends + slopes - third)

    def count(self, strength: float) -> int:
        """How many eigenvalues exceed a strength."""
        if strength <= 0:
            return self.d
        log_count = np.log(self.scale / strength) / self.gamma
        return self.d if log_count >= np.log(self.d) else int(np.exp(log_count))

    def between(
        self, first: int, last: int, focus: float, finest: float
    ) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues first..last with weights: themselves, or nodes that stand for many.

        Parameters
        ----------
        first, last : int
        focus : float
            Strength next to which the summand bends.
        finest : float
            Relative distance from it over which it does.
        """
        if first > last:
            return np.empty(0), np.empty(0)
        explicit = np.arange(first, min(last, EXPLICIT) + 1, dtype=float)
        indices, weights = [explicit], [np.ones(explicit.size)]
        start = max(first, EXPLICIT + 1)
        if start <= last:
            low, high = np.log(start - 0.5), np.log(last + 0.5)
            centre = np.log(self.scale / focus) / self.gamma
            steps = np.geomspace(max(min(finest, 0.3), 1e-8), 30.0, 40)
            cuts = np.concatenate((-steps[::-1], [0.0], steps)) + centre
            cuts = np.unique(np.concatenate(([low], cuts[(cuts > low) & (cuts < high)], [high])))
            half, middle = np.diff(cuts) / 2, (cuts[1:] + cuts[:-1]) / 2
            y, w = _legendre()
            log_index = (middle[:, None] + half[:, None] * y).ravel()
            indices.append(np.exp(log_index))
            weights.append((half[:, None] * w).ravel() * np.exp(log_index))
        index = np.concatenate(indices)
        return self.scale * index**-self.gamma, np.concatenate(weights)

    def groups(self, explicit: int, per_decade: int) -> tuple[FloatArray, FloatArray]:
        """All eigenvalues as few with weights, increasing: the largest alone, the rest in bins.

        Each bin of neighbours is represented by two values of half its weight that keep its mean
        and its second moment.
        """
        alone = np.arange(1, min(explicit, self.d) + 1, dtype=float)
        values, weights = [self.scale * alone**-self.gamma], [np.ones(alone.size)]
        if self.d > explicit:
            bins = max(1, int(per_decade * np.log10(self.d / explicit)))
            ends = np.unique(np.geomspace(explicit, self.d, bins + 1).round().astype(np.int64))
            sums = []
            for p in (0.0, self.gamma, 2 * self.gamma):
                beyond = np.array([self.tail(p, int(end) + 1) for end in ends])
                sums.append(beyond[:-1] - beyond[1:])
            count, mean, square = np.diff(ends).astype(float), sums[1], sums[2]
            mean = mean / count
            spread = np.sqrt(np.maximum(square / count - mean**2, 0.0))
            for side in (-1.0, 1.0):
                values.append(self.scale * (mean + side * spread))
                weights.append(count / 2)
        s, w = np.concatenate(values), np.concatenate(weights)
        order = s.argsort()
        return s[order], w[order] / self.d


@cache
def _legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
