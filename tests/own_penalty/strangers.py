"""Penalties as a user writes them, in a file of their own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import attlas


@dataclass(frozen=True)
class Elastic(attlas.Estimator):
    """Weight decay on a factor, and a ridge on its map: d (ridge/2) ||S||_F^2."""

    lam: float
    kappa: float = 1
    ridge: float = 0

    name = "elastic"

    @property
    def penalty(self) -> attlas.Penalty:
        decay = math.sqrt(self.kappa) * self.lam
        return attlas.Penalty(decay, self.ridge / 2, positive=True, width=self.kappa)


@dataclass(frozen=True)
class Lasso(attlas.Estimator):
    """A nuclear norm on symmetric maps, and a ridge: d lam ||S||_* + d (ridge/2) ||S||_F^2."""

    lam: float
    ridge: float = 0

    name = "lasso"

    @property
    def penalty(self) -> attlas.Penalty:
        return attlas.Penalty(self.lam, self.ridge / 2, positive=False)
