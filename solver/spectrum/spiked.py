"""Spikes on a background: where they show up in the law of S0 + delta Z, and when they do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from attlas.solver.spectrum.law import NoisyLaw, TargetLaw


class Transform(Protocol):
    """G0(z) = int mu_0(dx)/(z - x) of a background, on the real axis off its support."""

    @property
    def top(self) -> float:
        """Upper edge of the background."""
        ...

    def gaps(self) -> tuple[tuple[float, float], ...]:
        """Intervals above 0 where spikes are told from the background, the last one endless."""
        ...

    def bare(self, z: float) -> bool:
        """Whether z lies off the support."""
        ...

    def value(self, z: float) -> float:
        """G0(z)."""
        ...

    def slope(self, z: float) -> float:
        """G0'(z), negative."""
        ...


class WishartTransform:
    """G0 of the Wishart target, a root of z g^2 - (z s - s^2 + 1) g + s = 0, s = sqrt(kappa0).

    Parameters
    ----------
    kappa0 : number > 0
    """

    def __init__(self, kappa0: Fraction | float) -> None:
        self._s = math.sqrt(kappa0)
        self._low = (1 - self._s) ** 2 / self._s
        self.top = (1 + self._s) ** 2 / self._s
        self._atom = kappa0 < 1

    def gaps(self) -> tuple[tuple[float, float], ...]:
        above = ((self.top, math.inf),)
        return ((0.0, self._low), *above) if self._atom else above

    def bare(self, z: float) -> bool:
        if self._low <= z <= self.top:
            return False
        return not (self._atom and z == 0)

    def value(self, z: float) -> float:
        s = self._s
        root = s * math.sqrt((z - self._low) * (z - self.top))
        side = math.copysign(1.0, z - self._low)
        # The product of the roots is s/z: this form keeps its digits at large z.
        return 2 * s / (z * s - s * s + 1 + side * root)

    def slope(self, z: float) -> float:
        g, s = self.value(z), self._s
        return 1 / (s * s / (s - g) ** 2 - 1 / (g * g))


class AtomsTransform:
    """G0 = sum over eigenvalues of 1/(z - s), over d.

    Parameters
    ----------
    eigenvalues : sequence of float
    d : int
        What the sum is divided by; larger than their number where spikes are left out.
    """

    def __init__(self, eigenvalues: Sequence[float], d: int) -> None:
        self._s = np.asarray(eigenvalues, dtype=float)
        self._d = d
        self.top = float(self._s.max())

    def gaps(self) -> tuple[tuple[float, float], ...]:
        return ((self.top, math.inf),)

    def bare(self, z: float) -> bool:
        return not bool(np.any(self._s == z))

    def value(self, z: float) -> float:
        return float(np.sum(1 / (z - self._s))) / self._d

    def slope(self, z: float) -> float:
        return -float(np.sum((z - self._s) ** -2.0)) / self._d


@dataclass(frozen=True)
class SpikedTargetLaw(TargetLaw):
    """The law of a spiked target: that of its eigenvalues, or of its background.

    Attributes
    ----------
    bulk : TargetLaw
        What order parameters depend on. On a Wishart background that is the background alone; a
        finite target counts every eigenvalue, spikes as well.
    spikes : tuple of (float, int)
        Distinct spikes, descending, with their multiplicities.
    transform : Transform
        G0 of the background alone.
    finite : bool
        Whether spikes are part of ``bulk``.
    """

    bulk: TargetLaw
    spikes: tuple[tuple[float, int], ...]
    transform: Transform
    finite: bool

    @property
    def q0(self) -> float:
        return self.bulk.q0

    @property
    def mean(self) -> float:
        return self.bulk.mean

    @property
    def rank_fraction(self) -> float:
        return self.bulk.rank_fraction

    def noisy(self, delta: float) -> NoisyLaw:
        """The law of S0 + delta Z without its outliers (a finite target: with them)."""
        return self.bulk.noisy(delta)

    def overlap(self, spike: float, delta: float) -> float:
        """1 + delta^2 G0'(spike): the squared overlap while positive. theory.md section 9.

        -inf for a spike within the background.
        """
        if not self.transform.bare(spike):
            return -math.inf
        return 1 + delta**2 * self.transform.slope(spike)

    def location(self, spike: float, delta: float) -> float:
        """spike + delta^2 G0(spike), where it shows up in S0 + delta Z."""
        return spike + delta**2 * self.transform.value(spike)

    def detectable(self, delta: float, above: float = 0.0) -> float:
        """The least spike above a value that detaches: 1 + delta^2 G0' = 0 there.

        Parameters
        ----------
        delta : float
        above : float
            Detached spikes may lie in a gap of a Wishart background, too.
        """
        for low, high in self.transform.gaps():
            if above < high and (found := self._detectable(delta, max(low, above), high)):
                return found
        raise AssertionError("a large enough spike always detaches")

    def _detectable(self, delta: float, low: float, high: float) -> float | None:
        """The least detached spike in a gap of the background, if there is one."""

        def overlap(spike: float) -> float:
            return self.overlap(spike, delta)

        # 1/|G0'| is convex in a gap, so that the overlap has one maximum there; beyond all
        # eigenvalues |G0'| <= (z - top)^-2 is at most 1/delta^2 from top + delta on.
        width = min(high - low, 2 * delta)
        near, best = low + 1e-12 * width, low + width
        if math.isfinite(high):
            found: Any = minimize_scalar(
                lambda spike: -overlap(spike), bounds=(near, high), method="bounded"
            )
            best = float(found.x)
        if overlap(best) <= 0:
            return None
        if overlap(near) >= 0:
            return low
        return float(brentq(overlap, near, best, xtol=1e-14 * best))  # type: ignore[arg-type]


def spiked(law: TargetLaw) -> SpikedTargetLaw | None:
    """The law together with its isolated spikes, if it has any."""
    return law if isinstance(law, SpikedTargetLaw) else None
