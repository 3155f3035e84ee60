"""Training of the factor W with weight decay."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.estimators.estimator import Estimator
from attlas.model.exact import Number, non_negative, positive


@dataclass(frozen=True, init=False)
class Factorised(Estimator):
    """S = W W^T / sqrt(p d) with p = kappa d and penalty lam ||W||_F^2 in the loss.

    The penalty is a nuclear norm: lam ||W||_F^2 = d lam_tilde Tr S (theory.md section 2).

    Parameters
    ----------
    lam : number >= 0
        Weight decay, in the loss that is summed over samples. 0 means the limit lam -> 0+.
    kappa : number > 0
        Width ratio p/d of the student.
    """

    lam: Fraction
    kappa: Fraction

    name: ClassVar[str] = "factorised"

    def __init__(self, lam: Number, kappa: Number = 1) -> None:
        object.__setattr__(self, "lam", non_negative("lam", lam))
        object.__setattr__(self, "kappa", positive("kappa", kappa))

    @property
    def lam_tilde(self) -> float:
        """sqrt(kappa) lam, the coefficient of d Tr S in the loss."""
        return math.sqrt(self.kappa) * float(self.lam)
