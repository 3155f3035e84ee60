"""Three routes to the law of a power-law target, and how far their solutions are apart.

Every eigenvalue by itself (d <= 2000), groups of neighbours (any d), and the semicircle plus each
eigenvalue's first-order response (theory.md section 14), which holds while few are recovered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from attlas.model.errors import BadInput
from attlas.solver.double_precision import within_double_precision
from attlas.solver.measured import Measured
from attlas.solver.scaling.penalty import penalty_of
from attlas.solver.scaling.plane import SMALLEST_D
from attlas.solver.scaling.point import level
from attlas.solver.scaling.problem import power_law
from attlas.solver.spectrum import LARGEST_EXACT, AtomsTargetLaw, GroupedTargetLaw, power_modes
from attlas.solver.spectrum.law import Truncated
from attlas.solver.spectrum.power_law_large import first_order

#: Samples over d^2 of the default rows; n = d and 10 d are among them.
_ALPHAS = (0.05, 0.5, 5.0, 50.0)


@dataclass(frozen=True)
class Compared:
    """Squared errors at one point by each route.

    Attributes
    ----------
    n, lam : float
    modes : float
        Eigenvalues above the noise level.
    exact : Measured or None
        Every eigenvalue; None for d > 2000.
    grouped, first_order : Measured
    """

    n: float
    lam: float
    modes: float
    exact: Measured | None
    grouped: Measured
    first_order: Measured

    def difference(self, route: str) -> tuple[float, float]:
        """Relative difference of ``"grouped"`` or ``"first_order"`` from the best, with its bar.

        The best are all eigenvalues where they can be listed, else groups. The bar is the sum of
        both error bars; that of the first order does not hold what its truncation leaves out,
        which is what the difference shows.
        """
        best, other = self.exact or self.grouped, getattr(self, route)
        return other.value / best.value - 1, (other.error + best.error) / best.value


class _FirstOrder:
    """The large-d route as a law of its own."""

    def __init__(self, law: GroupedTargetLaw) -> None:
        self.law, self.q0, self.mean, self.rank_fraction = law, law.q0, law.mean, 1.0

    def noisy(self, delta: float) -> _FirstOrderNoisy:
        return _FirstOrderNoisy(self.law, delta)


@dataclass(frozen=True)
class _FirstOrderNoisy:
    law: GroupedTargetLaw
    delta: float

    def truncated(self, epsilon: float) -> Truncated:
        return first_order(self.law, self.delta, epsilon)


@within_double_precision()
def compare_routes(
    target: object,
    noise: float,
    *,
    n: Sequence[float] | None = None,
    lam: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Compared, ...]:
    """Solve one token, factorised training by every route at several n.

    Parameters
    ----------
    target : PowerLaw
        Not rescaled by q0; d >= 20.
    noise : float
        Variance of the label noise, > 0.
    n : sequence of float, optional
        By default from d to 50 d^2.
    lam : float, optional
        A fixed penalty > 0; lam_c(n) by default.
    progress : callable, optional

    Raises
    ------
    BadInput
        For another target, or d, n, lam or noise out of range.
    ComputationFailed
        If numbers leave the range of double precision.
    """
    target = power_law(target)
    if target.d < SMALLEST_D:
        raise BadInput("target power-law: d", target.d, f"must be {SMALLEST_D} or more")
    if not noise > 0:
        raise BadInput("noise", noise, "must be greater than 0")
    if lam is not None and not lam > 0:
        raise BadInput("lam", lam, "must be greater than 0")
    d = float(target.d)
    samples = n or sorted({d, 10 * d, *(alpha * d * d for alpha in _ALPHAS)})
    if not min(samples) > 0:
        raise BadInput("n", min(samples), "must be greater than 0")
    modes = power_modes(target)
    groups = GroupedTargetLaw(modes)
    first: Any = _FirstOrder(groups)
    every = AtomsTargetLaw(target.eigenvalues) if target.d <= LARGEST_EXACT else None
    found = []
    for value in samples:
        penalty = penalty_of(target, value, noise, lam)
        by_groups = level(target, value, penalty, noise, groups)
        found.append(
            Compared(
                value,
                penalty,
                min(modes.count(by_groups.delta), target.d),
                None if every is None else level(target, value, penalty, noise, every).mse,
                by_groups.mse,
                level(target, value, penalty, noise, first).mse,
            )
        )
        if progress is not None:
            progress(len(found), len(samples))
    return tuple(found)
