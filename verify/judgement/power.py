"""What runs can decide, and what it would take: the number of seeds, or one more size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from attlas.verify.judgement.extrapolation import Extrapolation, intercept_weights

#: Chance of a verdict that a plan aims at, if the deviation is as estimated.
POWER = 0.8

#: Plans beyond this many runs a size are not proposed: the deviation is too near the band's edge.
MOST_SEEDS = 100_000


@dataclass(frozen=True)
class Plan:
    """Two ways to decide a question.

    Attributes
    ----------
    needed_error : float
        Standard error of the extrapolated deviation at which a verdict is likely.
    seeds : int or None
        Runs at every present size that reach it.
    size, size_seeds : int or None
        The alternative: this larger d, and the runs there, with the present runs kept.
    """

    needed_error: float
    seeds: int | None
    size: int
    size_seeds: int | None

    def sentence(self) -> str:
        """The plan in words."""
        ways = []
        if self.seeds is not None:
            ways.append(f"{self.seeds} seeds at each size")
        if self.size_seeds is not None:
            ways.append(f"{self.size_seeds} seeds at d = {self.size} besides the present runs")
        if not ways:
            return "the deviation is too close to the edge of the band for any number of seeds"
        return "would be decided by about " + ", or ".join(ways)


def power_of(
    fit: Extrapolation, low: float, high: float, systematic: float, level: float, family: int
) -> tuple[float, float]:
    """What runs like these can decide, whatever they happened to find.

    Parameters
    ----------
    fit, low, high, systematic, level, family
        As of :func:`plan`.

    Returns
    -------
    (float, float)
        The chance of agreement if the deviation is in the middle of the band, and the distance
        from there at which disagreement has chance ``POWER``. Both at the level divided by
        ``family``.
    """
    half, error = (high - low) / 2, fit.standard_error
    lost = systematic + error * float(stats.t.isf(level / family, fit.dof))
    detectable = half + lost + error * float(stats.norm.ppf(POWER))
    if half <= lost:
        return 0.0, detectable
    chance = 1.0 if error == 0 else 2 * float(stats.norm.cdf((half - lost) / error)) - 1
    return chance, detectable


def plan(
    fit: Extrapolation, low: float, high: float, systematic: float, level: float, family: int
) -> Plan:
    """The runs that would decide a question, taking the estimated deviation and spread as true.

    Parameters
    ----------
    fit : Extrapolation
    low, high : float
        The band.
    systematic : float
        Systematic error of the deviation.
    level : float
        Level of the tests.
    family : int
        Number of tests in the suite; the plan reaches the level divided by it.
    """
    edge = min(fit.intercept - low, high - fit.intercept)
    distance = abs(float(edge)) - systematic
    quantile = float(stats.norm.isf(level / family) + stats.norm.ppf(POWER))
    needed = max(distance, 0.0) / quantile
    size = 2 * fit.sizes[-1]
    if needed == 0:
        return Plan(0.0, None, size, None)
    factor = (fit.standard_error / needed) ** 2
    seeds = math.ceil(factor * float(np.mean(fit.counts)))
    return Plan(
        needed_error=needed,
        seeds=max(2, seeds) if seeds <= MOST_SEEDS else None,
        size=size,
        size_seeds=_seeds_at(fit, size, needed),
    )


def _seeds_at(fit: Extrapolation, size: int, needed: float) -> int | None:
    """Fewest runs at one more size that bring the standard error down to ``needed``."""
    enough = 2
    while _error_with(fit, size, enough) > needed:
        enough *= 2
        if enough > MOST_SEEDS:
            return None
    few = enough // 2
    while enough - few > 1:
        middle = (few + enough) // 2
        if _error_with(fit, size, middle) > needed:
            few = middle
        else:
            enough = middle
    return enough


def _error_with(fit: Extrapolation, size: int, runs: int) -> float:
    """Standard error of the intercept if ``runs`` runs at ``size`` were added."""
    sizes = np.array([*fit.sizes, size], dtype=float)
    counts = np.array([*fit.counts, runs], dtype=float)
    spread = fit.variances[-1] * (fit.sizes[-1] / size) ** 2
    variances = np.array([*fit.variances, spread])
    weights = intercept_weights(sizes, counts, fit.order)[0]
    return float(np.sqrt((weights**2 * variances / counts).sum()))
