"""The exact split of the squared error into overfitting, underfitting and approximation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attlas.solver.decomposition.coupling import Coupling
from attlas.solver.learned_spectrum.rule import Rule
from attlas.solver.spectrum import NoisyLaw, TargetLaw


@dataclass(frozen=True)
class Parts:
    """The parts of ||S - eta* S0||^2/d (theory.md section 13); over + under + approx is exact.

    Attributes
    ----------
    over : float
        E[s_hat^2; s = 0], learned in directions the target does not have.
    under : float
        E[eta*^2 s^2; s != 0, s_hat = 0], target directions not recovered.
    approx : float
        E[(s_hat - eta* s)^2; s != 0, s_hat != 0], left along what was recovered.
    bulk_over, bulk_under, bulk_cross, band_approx : float or None
        The same by bands, for targets without null directions: energy in the lowest band, target
        energy in it or below the threshold, their cross term, and the error in the bands above.
        Their sum is the same. None where the spectrum is one band.
    """

    over: float
    under: float
    approx: float
    bulk_over: float | None
    bulk_under: float | None
    bulk_cross: float | None
    band_approx: float | None

    @property
    def error_scaled(self) -> float:
        """Their sum, ||S - eta* S0||^2/d."""
        return self.over + self.under + self.approx


def split_error(law: TargetLaw, noisy: NoisyLaw, rule: Rule, eta_star: float) -> Parts:
    """The parts for a target's law and what a penalty makes of its noisy eigenvalues.

    Parameters
    ----------
    law : TargetLaw
    noisy : NoisyLaw
        Of S0 + delta Z.
    rule : Rule
    eta_star : float
        Scale at which the target is compared.
    """
    coupling = Coupling.above(noisy, rule.cut, 1 - law.rank_fraction)
    kept = rule.along(coupling.x)
    energy = coupling.mean(kept**2)
    over = coupling.mean(kept**2 * coupling.null)
    cross = coupling.mean(kept * coupling.first)
    recovered = coupling.mean(coupling.second)
    return Parts(
        over=over,
        under=eta_star**2 * (law.q0 - recovered) if math.isfinite(rule.cut) else 0.0,
        approx=energy - over - 2 * eta_star * cross + eta_star**2 * recovered,
        **_by_bands(law, noisy, rule, eta_star, coupling),
    )


def _by_bands(
    law: TargetLaw, noisy: NoisyLaw, rule: Rule, eta_star: float, coupling: Coupling
) -> dict[str, float | None]:
    bands = noisy.bands()
    if len(bands) < 2:
        return dict.fromkeys(("bulk_over", "bulk_under", "bulk_cross", "band_approx"))
    divide = 0.5 * (bands[0].upper + bands[1].lower)
    bulk = coupling.within(-float("inf"), divide)
    upper = coupling.within(divide, float("inf"))
    in_bulk, above = rule.along(bulk.x), rule.along(upper.x)
    residual = above**2 - 2 * eta_star * above * upper.first + eta_star**2 * upper.second
    return {
        "bulk_over": bulk.mean(in_bulk**2),
        "bulk_under": eta_star**2 * (law.q0 - upper.mean(upper.second)),
        "bulk_cross": -2 * eta_star * bulk.mean(in_bulk * bulk.first),
        "band_approx": upper.mean(residual),
    }
