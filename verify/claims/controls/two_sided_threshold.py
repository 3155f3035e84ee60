"""The theory of a nuclear norm over all symmetric maps, not only positive semi-definite ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model import Estimator, Penalty, Problem
from attlas.model.exact import Number
from attlas.verify.claims.claim import Control


@dataclass(frozen=True)
class TwoSided(Estimator):
    """The penalty d lam ||S||_* over symmetric S: eigenvalues of both signs are shrunk."""

    lam: Number

    name: ClassVar[str] = "two-sided"

    @property
    def penalty(self) -> Penalty:
        return Penalty(self.lam, positive=False)


def _two_sided(problem: Problem) -> Problem:
    lam_tilde = Fraction(float(problem.estimator.trained().linear))
    return problem.with_(estimator=TwoSided(lam_tilde))


TWO_SIDED_THRESHOLD = Control(
    id="two-sided-threshold",
    statement=(
        "Eigenvalues of both signs are shrunk, as if S = W Wᵀ could have negative ones: the "
        "two-sided soft threshold in place of the positive one."
    ),
    wrong=_two_sided,
)
