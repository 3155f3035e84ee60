"""Training of a positive semi-definite map S itself, without factors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.estimators.estimator import Estimator
from attlas.model.exact import Number, non_negative


@dataclass(frozen=True, init=False)
class DirectPSD(Estimator):
    """S positive semi-definite, with the penalty d (lam/2) ||S||_F^2 (theory.md section 11).

    Parameters
    ----------
    lam : number >= 0
        lam_F, the ridge penalty. 0 means the limit lam -> 0+. It is not comparable with the
        weight decay of :class:`Factorised`.
    """

    lam: Fraction

    name: ClassVar[str] = "direct-psd"

    def __init__(self, lam: Number) -> None:
        object.__setattr__(self, "lam", non_negative("lam", lam))
