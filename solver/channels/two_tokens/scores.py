"""The two score differences that a two-token label sees, and their covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


@dataclass(frozen=True)
class ScorePair:
    """u = h11 - h12 and v = h22 - h12 with covariance proportional to C = [[c, 1], [1, c]].

    Parameters
    ----------
    diagonal : float
        c, 3 in the theory (theory.md section 4): the off-diagonal score's variance 1 plus the
        diagonal score's variance 2.
    """

    diagonal: float = 3.0

    @property
    def axes(self) -> tuple[float, float]:
        """Standard deviations of (u + v)/2 and (u - v)/2."""
        return ((self.diagonal + 1) / 2) ** 0.5, ((self.diagonal - 1) / 2) ** 0.5

    def unwhiten(self, first: Array, second: Array) -> Array:
        """Independent unit normals to a pair (u, v) of covariance C."""
        plus, minus = self.axes
        return np.stack([plus * first + minus * second, plus * first - minus * second])

    def times_covariance(self, pair: Array) -> Array:
        """C applied to a pair."""
        return np.stack([self.diagonal * pair[0] + pair[1], pair[0] + self.diagonal * pair[1]])

    def squared_length(self, pair: Array) -> Array:
        """pair^T C^-1 pair."""
        # As a sum of squares: it does not cancel.
        plus, minus = pair[0] + pair[1], pair[0] - pair[1]
        plus *= plus
        minus *= minus
        plus *= 0.5 / (self.diagonal + 1)
        minus *= 0.5 / (self.diagonal - 1)
        plus += minus
        return plus


#: The covariance of theory.md section 4.
THEORY = ScorePair()
