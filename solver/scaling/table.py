"""Exponents and constants of every phase, at two points, against prediction."""

from __future__ import annotations

from dataclasses import dataclass

from model import PowerLaw
from solver.scaling.dense import dense_error
from solver.scaling.point import Measured, level, slope
from solver.scaling.predictions import best_penalty, exponent, rate

NOISE = 0.1
#: Dimensions for phases that every mode decides; elsewhere few modes of very many are recovered.
_SIZES = {"III": 3000, "VIb": 3000}
_LARGE = 10**10
#: Two points of each phase; which one is further from all boundaries depends on gamma.
FIRST, SECOND = 0, 1


@dataclass(frozen=True)
class Row:
    """One phase at one gamma.

    Attributes
    ----------
    phase : str
    gamma : float
    d, n, lam, noise : float
        Where it was measured.
    slope : Measured
        Numerical d log mse/d log n (at the peak d log mse/d log lam).
    predicted : float
        The phase's exponent.
    constant : Measured
        Numerical squared error over the predicted one; in phase V over its exact form.
    """

    phase: str
    gamma: float
    d: int
    n: float
    lam: float
    noise: float
    slope: Measured
    predicted: float
    constant: Measured


def point_of(
    phase: str, gamma: float, which: int = SECOND, dimension: int | None = None
) -> tuple[int, float, float, float, float]:
    """A point of a phase: d, n, lam, noise, and the power of n that lam follows.

    Parameters
    ----------
    phase : str
        One of :data:`PHASES`.
    gamma : float
    which : {FIRST, SECOND}
    dimension : int, optional
        Another d than the table's.
    """
    d = dimension or _SIZES.get(phase, _LARGE)
    target, size = PowerLaw(gamma, d), float(d)
    if phase == "II":
        n = size ** (1.5, 1.7)[which]
        return d, n, 100 * best_penalty(target, n, NOISE), NOISE, 0.0
    if phase == "III":
        # At the last mode lam/lam_c = (lam d^(1/2 - gamma)/(4 noise))^(1/2), chosen as 60 here.
        lam = 4 * NOISE * 3600 * size ** (gamma - 0.5)
        return d, (10, 100)[which] * lam * size ** (gamma + 1.5) / 4, lam, NOISE, 0.0
    if phase == "IV":
        n = size ** (1.3, 1.6)[which]
        return d, n, best_penalty(target, n, NOISE), NOISE, 0.5
    if phase == "V":
        return d, (0.02, 0.002)[which] * size**2, 0.0, NOISE, 0.0
    if phase == "peak":
        return d, size**2 / 4, (1e-4, 1e-6)[which], NOISE, 0.0
    if phase == "VIa":
        return d, (30, 300)[which] * size**2, 0.0, NOISE, 0.0
    if phase == "VIb":
        return d, (10, 100)[which] * NOISE * size ** (1 + 2 * gamma) / 4, 0.0, NOISE, 0.0
    return d, size ** (1.3, 1.5)[which], 0.0, 0.0, 0.0


PHASES = ("II", "III", "IV", "V", "peak", "VIa", "VIb", "noiseless")


def measure(phase: str, gamma: float, which: int = SECOND) -> Row:
    """Solve around the phase's point and compare.

    Parameters
    ----------
    phase : str
        One of :data:`PHASES`.
    gamma : float
        > 1/2.
    which : {FIRST, SECOND}
    """
    d, n, lam, noise, follow = point_of(phase, gamma, which)
    target = PowerLaw(gamma, d)
    found = level(target, n, lam, noise).mse
    if phase == "V":
        formula = dense_error(n / float(d) ** 2, noise)
    else:
        formula = rate(phase, target, n, lam, noise)
    local = slope(target, n, lam, noise, follow, along="lam" if phase == "peak" else "n")
    return Row(
        phase,
        gamma,
        d,
        n,
        lam,
        noise,
        local,
        exponent(phase, gamma),
        Measured(found.value / formula, found.error / formula),
    )
