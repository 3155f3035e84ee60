"""The theory of a nuclear norm over all symmetric maps, not only positive semi-definite ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from attlas.model import Estimator, Factorised, Problem
from attlas.solver.denoisers import Denoiser, MatrixState, denoised, denoiser
from attlas.solver.order_parameters import Conjugates
from attlas.solver.spectrum import TargetLaw
from attlas.solver.spectrum.law import NoisyLaw, Truncated
from attlas.verify.claims.claim import Control


@dataclass(frozen=True)
class TwoSided(Estimator):
    """The penalty d lam_tilde ||S||_* over symmetric S: eigenvalues of both signs are shrunk."""

    lam_tilde: float

    name: ClassVar[str] = "two-sided"


@dataclass(frozen=True)
class _TwoSidedThreshold:
    """J(delta, epsilon) = int (|x| - epsilon)_+^2 mu_delta(dx)."""

    law: TargetLaw
    lam_tilde: float

    def state(self, hats: Conjugates) -> MatrixState:
        epsilon = 2 * self.lam_tilde / hats.m_hat
        noisy = self.law.noisy(math.sqrt(hats.q_hat) / hats.m_hat)
        both = _both_sides(self.law, noisy, epsilon)
        return denoised(hats, hats.sigma_hat, both, epsilon)

    def slope(self, hats: Conjugates) -> float:  # noqa: ARG002
        return math.nan  # the stability of a wrong theory is nobody's question


def _both_sides(law: TargetLaw, noisy: NoisyLaw, epsilon: float) -> Truncated:
    """The integrals beyond epsilon on either side.

    What lies below -epsilon is the exact total moment less what lies above -epsilon.
    """
    above, rest = noisy.truncated(epsilon), noisy.truncated(-epsilon)
    delta = noisy.delta
    j = law.q0 + delta**2 + 2 * epsilon * law.mean + epsilon**2 - rest.j
    j1 = 2 * delta - rest.j1
    j2 = 2 * law.mean + 2 * epsilon + rest.j2
    part = delta * j1 + epsilon * j2 - j
    return Truncated(
        epsilon=epsilon,
        j=above.j + j,
        j1=above.j1 + j1,
        j2=above.j2 + j2,
        mass=above.mass + 1 - rest.mass,
        squared_error_part=above.squared_error_part + part,
        squared_error=above.squared_error + part,
        **{
            name: getattr(above, name) + getattr(rest, name)
            for name in (
                "j_error",
                "j1_error",
                "j2_error",
                "mass_error",
                "squared_error_part_error",
                "squared_error_error",
            )
        },
    )


@denoiser.register
def _(estimator: TwoSided, law: TargetLaw) -> Denoiser:
    return _TwoSidedThreshold(law=law, lam_tilde=estimator.lam_tilde)


def _two_sided(problem: Problem) -> Problem:
    estimator = problem.estimator
    if not isinstance(estimator, Factorised):
        raise TypeError(f"no soft threshold in {type(estimator).__name__}")
    return problem.with_(estimator=TwoSided(estimator.lam_tilde))


TWO_SIDED_THRESHOLD = Control(
    id="two-sided-threshold",
    statement=(
        "Eigenvalues of both signs are shrunk, as if S = W Wᵀ could have negative ones: the "
        "two-sided soft threshold in place of the positive one."
    ),
    wrong=_two_sided,
)
