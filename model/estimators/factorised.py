"""Training of the factor W with weight decay, of any width."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.penalty import Penalty, weight_decay
from attlas.model.exact import Number


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
        self._read(lam=lam, kappa=kappa)

    @property
    def penalty(self) -> Penalty:
        return Penalty(weight_decay(self.lam, self.kappa), positive=True, width=self.kappa)


@dataclass(frozen=True, init=False)
class WidthLimited(Factorised):
    """:class:`Factorised` with the rank limited to kappa d, where that limit is active.

    The problem is then no longer convex in S; the theory keeps the kappa d largest eigenvalues.
    With one token this agrees with published curves to 1e-4. For the softmax channel trained heads
    have the loss to 0.3(3) % and q to 1.2(3) % at kappa = 0.3, alpha = 0.2, d = 80, but a squared
    error 10(3) % above it; training stops in local minima there.

    Notes
    -----
    theory.md section 13b.
    """

    name: ClassVar[str] = "width-limited"

    @property
    def penalty(self) -> Penalty:
        linear = weight_decay(self.lam, self.kappa)
        return Penalty(linear, positive=True, width=self.kappa, limited=True)
