"""How deep inside its phase a point is: ratios that the leading power takes to be small."""

from __future__ import annotations

import math

from attlas.model import PowerLaw
from attlas.solver.scaling.predictions import best_penalty, c_gamma, rate
from attlas.solver.spectrum.power_modes import PowerModes


def depths(phase: str, target: PowerLaw, n: float, lam: float, noise: float) -> dict[str, float]:
    """The corrections to a phase's power law at a point, each by its name.

    All are of the order of the relative correction that they make; the phase ends where one of
    them reaches 1.

    Parameters
    ----------
    phase : str
        One of :data:`attlas.solver.scaling.PHASES`.
    target : PowerLaw
        Not rescaled.
    n, lam, noise : float
    """
    d, gamma = float(target.d), float(target.gamma)
    alpha, last = n / d**2, math.sqrt(d) * d**-gamma
    error = rate(phase, target, n, lam, noise)
    delta = math.sqrt((max(error, 0.0) + noise / 2) / (2 * alpha))
    epsilon = lam / (4 * alpha)
    mean = PowerModes(gamma, math.sqrt(d), target.d).moment(1)

    def modes(strength: float) -> float:
        return (math.sqrt(d) / strength) ** (1 / gamma)

    if phase == "II":
        found = modes(epsilon)
        return {
            "δ/ε": delta / epsilon,
            "1/K": 1 / found,
            "(K/d)^(2γ-1)": (found / d) ** (2 * gamma - 1),
            "K d/n": found * d / n,
        }
    if phase == "III":
        return {"δ/ε": delta / epsilon, "ε/s_d": epsilon / last, "1/(4α)": 1 / (4 * alpha)}
    if phase == "IV":
        found = modes(math.sqrt(noise / (4 * alpha)))
        return {"1/K": 1 / found, "K/d": found / d, "R/Δ": error / noise}
    if phase == "V":
        learned = c_gamma(gamma) * delta**2 * modes(delta) / d
        return {"Tr S0/(d δ)": mean / delta, "modes in R": learned / error}
    if phase == "peak":
        level = math.sqrt(2 * error)
        cut = 3 * math.pi * noise / (16 * level)
        return {
            "ε/δ": cut / level,
            "Tr S0/(d ε)": mean / cut,
            "K/d": modes(level) / d,
        }
    if phase == "noiseless":
        return {"1/K": 1 / modes(delta), "(15πα/4)^(2/5)": (15 * math.pi * alpha / 4) ** 0.4}
    weak = lam / best_penalty(target, n, noise)
    if phase == "VIa":
        return {
            "Tr S0/(d δ)": mean / delta,
            "K/d": modes(delta) / d,
            "1/(4α)": 1 / (4 * alpha),
            "λ/λ_c": weak,
        }
    return {"δ/s_d": delta / last, "1/(4α)": 1 / (4 * alpha), "λ/λ_c": weak}


def nearest(phase: str, target: PowerLaw, n: float, lam: float, noise: float) -> tuple[str, float]:
    """The largest of the corrections: its name and value."""
    found = depths(phase, target, n, lam, noise)
    name = max(found, key=found.__getitem__)
    return name, found[name]
