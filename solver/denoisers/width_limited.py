"""A student narrower than the rank its penalty wants: the soft threshold of the top kappa."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attlas.solver.denoisers.denoiser import MatrixState, denoised
from attlas.solver.order_parameters import Conjugates
from attlas.solver.spectrum import NoisyLaw, TargetLaw, Truncated, mean_squared_slope

#: Relative error of the average of Re G by quadrature nodes.
_NODES_ERROR = 1e-13


@dataclass(frozen=True)
class TruncatedSoftThreshold:
    """ReLU(x - 2 lam_tilde)/sigma_hat on the kappa largest x, zero below (theory.md section 13b).

    Where the soft threshold alone leaves a rank of at most kappa, it is the soft threshold.

    Parameters
    ----------
    law : TargetLaw
    lam_tilde, kappa : float
    """

    law: TargetLaw
    lam_tilde: float
    kappa: float

    def state(self, hats: Conjugates) -> MatrixState:
        epsilon = 2 * self.lam_tilde / hats.m_hat
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        integrals = noisy.truncated(epsilon)
        if integrals.mass > self.kappa:
            integrals = self._top(noisy, epsilon)
        return denoised(hats, hats.sigma_hat, integrals, epsilon)

    def slope(self, hats: Conjugates) -> float:
        """Infinite where the width limits the rank: the denoiser jumps at the cut.

        Eigenvalues on both sides of the jump come arbitrarily close, so the mean squared divided
        difference diverges (as log d).
        """
        epsilon = 2 * self.lam_tilde / hats.m_hat
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        if noisy.truncated(epsilon).mass > self.kappa:
            return math.inf
        return mean_squared_slope(noisy, epsilon) / hats.sigma_hat**2

    def _top(self, noisy: NoisyLaw, epsilon: float) -> Truncated:
        """J, J1 and J2 over x > cut, with the integrands of the threshold epsilon < cut."""
        cut = float(noisy.quantile(1 - self.kappa))
        above = noisy.truncated(cut)
        nodes = noisy.nodes(cut)
        drift = float(np.sum(nodes.w * nodes.hilbert))
        drift_error = _NODES_ERROR * float(np.sum(nodes.w * np.abs(nodes.hilbert)))
        gap, delta, first = cut - epsilon, noisy.delta, -above.j2 / 2
        j = above.j + 2 * gap * first + gap * gap * above.mass
        j1 = above.j1 + 4 * delta * gap * drift
        j2 = above.j2 - 2 * gap * above.mass
        j_error = above.j_error + gap * above.j2_error + gap * gap * above.mass_error
        j1_error = above.j1_error + 4 * delta * gap * drift_error
        j2_error = above.j2_error + 2 * gap * above.mass_error
        part = delta * j1 + epsilon * j2 - j
        part_error = j_error + delta * j1_error + abs(epsilon) * j2_error
        return Truncated(
            epsilon=epsilon,
            j=j,
            j1=j1,
            j2=j2,
            mass=above.mass,
            squared_error_part=part,
            squared_error=self.law.q0 + part,
            j_error=j_error,
            j1_error=j1_error,
            j2_error=j2_error,
            mass_error=above.mass_error,
            squared_error_part_error=part_error,
            squared_error_error=part_error,
        )
