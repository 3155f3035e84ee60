"""Training of the map S itself, without factors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.penalty import Penalty
from attlas.model.exact import Number


@dataclass(frozen=True, init=False)
class Direct(Estimator):
    """S symmetric, with the penalty d (lam/2) ||S||_F^2 in the loss (theory.md section 11).

    Parameters
    ----------
    lam : number >= 0
        lam_F, the ridge penalty. 0 means the limit lam -> 0+. It is not comparable with the
        weight decay of :class:`Factorised`.
    """

    lam: Fraction

    name: ClassVar[str] = "direct"

    def __init__(self, lam: Number) -> None:
        self._read(lam=lam)

    @property
    def penalty(self) -> Penalty:
        return Penalty(quadratic=self.lam / 2, positive=False)


@dataclass(frozen=True, init=False)
class DirectPSD(Direct):
    """:class:`Direct` with S positive semi-definite."""

    name: ClassVar[str] = "direct-psd"

    @property
    def penalty(self) -> Penalty:
        return Penalty(quadratic=self.lam / 2, positive=True)
