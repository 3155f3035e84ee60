"""Frobenius penalties on the map itself: no threshold, with or without positivity."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.solver.denoisers.denoiser import MatrixState, denoised
from attlas.solver.order_parameters import Conjugates
from attlas.solver.spectrum import TargetLaw, mean_squared_slope
from attlas.solver.spectrum.law import Truncated

#: Relative rounding of Q0 + delta^2.
_UNIT = 2.0**-53


@dataclass(frozen=True)
class Ridge:
    """The denoiser x/(sigma_hat + 2 lam) of the matrix field (theory.md section 11).

    Only Q0 and Tr S0/d of the target enter. There is no threshold; ``epsilon`` is reported as 0.
    """

    law: TargetLaw
    lam: float

    def state(self, hats: Conjugates) -> MatrixState:
        delta = hats.q_hat**0.5 / hats.m_hat
        return denoised(hats, hats.sigma_hat + 2 * self.lam, self._whole(delta), 0.0)

    def slope(self, hats: Conjugates) -> float:
        return (hats.sigma_hat + 2 * self.lam) ** -2

    def _whole(self, delta: float) -> Truncated:
        """Integrals over the whole law: J = Q0 + delta^2."""
        j = self.law.q0 + delta * delta
        return Truncated(
            epsilon=0.0,
            j=j,
            j1=2 * delta,
            j2=-2 * self.law.mean,
            mass=1.0,
            squared_error_part=delta * delta - self.law.q0,
            squared_error=delta * delta,
            j_error=_UNIT * j,
            j1_error=0.0,
            j2_error=_UNIT * self.law.mean,
            mass_error=0.0,
            squared_error_part_error=_UNIT * j,
            squared_error_error=_UNIT * delta * delta,
        )


@dataclass(frozen=True)
class PositiveRidge:
    """The denoiser ReLU(x)/(sigma_hat + 2 lam) of the matrix field (theory.md section 11)."""

    law: TargetLaw
    lam: float

    def state(self, hats: Conjugates) -> MatrixState:
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        return denoised(hats, hats.sigma_hat + 2 * self.lam, noisy.truncated(0.0), 0.0)

    def slope(self, hats: Conjugates) -> float:
        noisy = self.law.noisy(hats.q_hat**0.5 / hats.m_hat)
        return mean_squared_slope(noisy, 0.0) / (hats.sigma_hat + 2 * self.lam) ** 2
