"""The law of S0 + delta Z for each target: edges, density, truncated moments."""

from __future__ import annotations

import math
from collections import Counter
from functools import singledispatch

from attlas.model.targets import PowerLaw, SingularValues, Spiked, Target, Wishart
from attlas.solver.spectrum.atoms import AtomsLaw, AtomsTargetLaw
from attlas.solver.spectrum.divided_difference import mean_squared_slope
from attlas.solver.spectrum.grouped import GroupedTargetLaw
from attlas.solver.spectrum.law import Band, Nodes, NoisyLaw, TargetLaw, Truncated
from attlas.solver.spectrum.outliers import Outlier, outliers
from attlas.solver.spectrum.power_modes import PowerModes
from attlas.solver.spectrum.rational import rational_law
from attlas.solver.spectrum.spiked import AtomsTransform, SpikedTargetLaw, WishartTransform, spiked
from attlas.solver.spectrum.whitened import WhitenedLaw, whitened_law
from attlas.solver.spectrum.wishart import WishartLaw, WishartTargetLaw

__all__ = [
    "AtomsLaw",
    "AtomsTargetLaw",
    "Band",
    "GroupedTargetLaw",
    "Nodes",
    "NoisyLaw",
    "Outlier",
    "PowerModes",
    "SpikedTargetLaw",
    "TargetLaw",
    "Truncated",
    "WhitenedLaw",
    "WishartLaw",
    "WishartTargetLaw",
    "mean_squared_slope",
    "outliers",
    "power_modes",
    "spiked",
    "target_law",
    "whitened_law",
]


#: Power laws with more eigenvalues are grouped.
LARGEST_EXACT = 2000


@singledispatch
def target_law(target: Target) -> TargetLaw:
    """The spectral law of a target: one written by hand for speed, or what its own data say.

    Of a target that is not symmetric it is that of its singular values with both signs.

    Parameters
    ----------
    target : Target
        Given by its eigenvalues, by its R-transform, or of a class that is registered here.

    Raises
    ------
    BadInput
        If the target says neither.
    """
    if target.eigenvalues is not None:
        return AtomsTargetLaw(target.eigenvalues)
    return rational_law(target)


@target_law.register
def _(target: Wishart) -> TargetLaw:
    return WishartTargetLaw(target.kappa0)


@target_law.register
def _(target: SingularValues) -> TargetLaw:
    return AtomsTargetLaw([sign * value for value in target.values for sign in (1, -1)])


@target_law.register
def _(target: PowerLaw) -> TargetLaw:
    if target.d <= LARGEST_EXACT:
        return AtomsTargetLaw(target.eigenvalues)
    return GroupedTargetLaw(power_modes(target))


def power_modes(target: PowerLaw) -> PowerModes:
    """The eigenvalues of a power-law target, without listing them."""
    gamma = float(target.gamma)
    modes = PowerModes(gamma, math.sqrt(target.d), target.d)
    if target.q0 is None:
        return modes
    return PowerModes(gamma, modes.scale * math.sqrt(target.q0 / modes.moment(2)), target.d)


@target_law.register
def _(target: Spiked) -> TargetLaw:
    spikes = tuple(Counter(float(spike) for spike in target.spikes).items())
    values = target.eigenvalues
    if values is None:
        assert target.background is not None
        kappa0 = target.background.wishart_ratio
        assert kappa0 is not None
        return SpikedTargetLaw(WishartTargetLaw(kappa0), spikes, WishartTransform(kappa0), False)
    rest = Counter(values) - Counter(map(float, target.spikes))
    transform = AtomsTransform(tuple(rest.elements()), len(values))
    return SpikedTargetLaw(AtomsTargetLaw(values), spikes, transform, True)
