"""Weight decay on the factor: a soft threshold on the positive eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.solver.denoisers.denoiser import MatrixState, denoised
from attlas.solver.order_parameters import Conjugates
from attlas.solver.spectrum import TargetLaw, mean_squared_slope


@dataclass(frozen=True)
class SoftThreshold:
    """The denoiser ReLU(x - 2 lam_tilde)/sigma_hat of the matrix field (theory.md section 3)."""

    law: TargetLaw
    lam_tilde: float

    def state(self, hats: Conjugates) -> MatrixState:
        epsilon = 2 * self.lam_tilde / hats.m_hat
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        return denoised(hats, hats.sigma_hat, noisy.truncated(epsilon), epsilon)

    def slope(self, hats: Conjugates) -> float:
        epsilon = 2 * self.lam_tilde / hats.m_hat
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        return mean_squared_slope(noisy, epsilon) / hats.sigma_hat**2
