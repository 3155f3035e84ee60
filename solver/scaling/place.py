"""Where in the (n, lam) plane a phase is measured: a number of recovered modes fixes the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from attlas.model import PowerLaw
from attlas.solver.scaling.predictions import best_penalty, c_gamma

PHASES = ("II", "III", "IV", "V", "peak", "VIa", "VIb", "noiseless")
#: Phases that every mode of the target decides: their number is d.
EVERY_MODE = ("III", "VIb")
#: Recovered modes, and dimension of the phases that few modes of very many decide.
MODES, LARGE = 1000.0, 10**14


@dataclass(frozen=True)
class Place:
    """A point of a phase.

    Attributes
    ----------
    phase : str
        One of :data:`PHASES`.
    gamma : float
    d : int
    n, lam, noise : float
    follow : float
        The power of n that lam follows.
    """

    phase: str
    gamma: float
    d: int
    n: float
    lam: float
    noise: float
    follow: float = 0.0

    @cached_property
    def target(self) -> PowerLaw:
        """The target at the place."""
        return PowerLaw(self.gamma, self.d)

    @property
    def along(self) -> str:
        """What the phase's exponent is in: lam at the peak, whose n is fixed, else n."""
        return "lam" if self.phase == "peak" else "n"


def place_of(phase: str, gamma: float, modes: float = MODES, d: int = LARGE) -> Place:
    """The point of a phase at which eigenvalues above mode number ``modes`` are recovered.

    Noise and penalty are chosen so that all other corrections to the leading power are far below
    1/modes (see :func:`attlas.solver.scaling.depth.depths`).

    Parameters
    ----------
    phase : str
        One of :data:`PHASES`.
    gamma : float
        > 1/2.
    modes : float
        A real number; in phases III and VIb the dimension, rounded.
    d : int
        Dimension of the other phases.
    """
    if phase in EVERY_MODE:
        d = round(modes)
    size = float(d)
    strength = math.sqrt(size) * modes**-gamma
    if phase == "II":  # epsilon is the strength, delta 1/200 of it
        n = 1e6 * modes * size
        noise = n * (strength / (100 * size)) ** 2
        return Place(phase, gamma, d, n, 4 * n / size**2 * strength, noise)
    if phase == "III":  # epsilon is a tenth of the last mode, delta a hundredth of that
        n = 1e4 * size**2
        epsilon = strength / 10
        return Place(phase, gamma, d, n, 4e4 * epsilon, 4e4 * (epsilon / 100) ** 2)
    if phase == "IV":  # delta is the strength; much noise, so that it alone sets delta
        noise = 1000.0
        n = noise * size * modes ** (2 * gamma) / 4
        return Place(phase, gamma, d, n, best_penalty(PowerLaw(gamma, d), n, noise), noise, 0.5)
    if phase == "V":
        alpha = 2e-4
        return Place(phase, gamma, d, alpha * size**2, 0.0, 4 * alpha * strength**2)
    if phase == "peak":  # epsilon is 1e-4 delta, and delta the strength
        noise = 16e-4 / (3 * math.pi) * strength**2
        lam = 3 * math.pi * noise**2 / (32 * strength**3)
        return Place(phase, gamma, d, size**2 / 4, lam, noise)
    if phase == "VIa":
        alpha = 300.0
        return Place(phase, gamma, d, alpha * size**2, 0.0, 4 * alpha * strength**2)
    if phase == "VIb":  # delta is 1/30 of the last mode
        noise = 1.0
        return Place(phase, gamma, d, 1000 * noise * size ** (1 + 2 * gamma) / 4, 0.0, noise)
    return Place(phase, gamma, d, c_gamma(gamma) * size * modes / 2, 0.0, 0.0)
