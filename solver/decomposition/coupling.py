"""Averages over the coupling of target and learned eigenvalues.

The target eigenvalue s and the eigenvalue x of S0 + delta Z are coupled by eigenvector overlaps.
At given x, with w = x - delta^2 G(x), their kernel delta^2/|w - s|^2 is a Lorentzian whose moments
in s follow from G(x) = G0(w): no integral over s is left (theory.md section 13).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.spectrum import NoisyLaw

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Coupling:
    """Eigenvalues x above a threshold with the conditional moments of the target eigenvalue.

    Attributes
    ----------
    x, weight : array
        Quadrature of mu_delta above the threshold.
    null : array
        Conditional probability that the target eigenvalue is zero.
    first, second : array
        E[s | x] and E[s^2 | x].
    """

    x: Array
    weight: Array
    null: Array
    first: Array
    second: Array

    @classmethod
    def above(cls, law: NoisyLaw, threshold: float, null_mass: float) -> Coupling:
        """The coupling at all x > threshold.

        Parameters
        ----------
        law : NoisyLaw
        threshold : float
        null_mass : float
            Mass of the target's law at zero.
        """
        nodes = law.nodes(threshold)
        variance = law.delta**2
        real = nodes.x - variance * nodes.hilbert
        imaginary = np.pi * variance * nodes.rho
        squared = real**2 + imaginary**2
        null = np.zeros_like(nodes.x)
        if null_mass > 0:
            null = null_mass * variance / squared
        first = real - variance * nodes.hilbert
        second = variance - imaginary**2 + real**2 - 2 * real * variance * nodes.hilbert
        return cls(nodes.x, nodes.w, null, first, second)

    def within(self, lower: float, upper: float) -> Coupling:
        """The part with lower < x < upper."""
        keep = (self.x > lower) & (self.x < upper)
        return Coupling(
            self.x[keep], self.weight[keep], self.null[keep], self.first[keep], self.second[keep]
        )

    def mean(self, values: Array) -> float:
        """Integral of values over mu_delta above the threshold."""
        return float(np.sum(self.weight * values))
