"""The law of S0 + delta Z for each target: edges, density, truncated moments."""

from __future__ import annotations

import math
from collections import Counter
from functools import singledispatch

from attlas.model.targets import Atoms, PowerLaw, Spiked, Wishart
from attlas.solver.spectrum.atoms import AtomsLaw, AtomsTargetLaw
from attlas.solver.spectrum.divided_difference import mean_squared_slope
from attlas.solver.spectrum.grouped import GroupedTargetLaw
from attlas.solver.spectrum.law import Band, Nodes, NoisyLaw, TargetLaw, Truncated
from attlas.solver.spectrum.outliers import Outlier, outliers
from attlas.solver.spectrum.power_modes import PowerModes
from attlas.solver.spectrum.spiked import AtomsTransform, SpikedTargetLaw, WishartTransform
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
    "WishartLaw",
    "WishartTargetLaw",
    "mean_squared_slope",
    "outliers",
    "power_modes",
    "target_law",
]


#: Power laws with more eigenvalues are grouped.
LARGEST_EXACT = 2000


@singledispatch
def target_law(target: object) -> TargetLaw:
    """The spectral law of a target.

    Parameters
    ----------
    target : model.targets.Target
        Wishart, Atoms, or another target whose file registers itself here.

    Raises
    ------
    TypeError
        If no law is registered for the target's type.
    """
    raise TypeError(f"no spectral law is registered for {type(target).__name__}")


@target_law.register
def _(target: Wishart) -> TargetLaw:
    return WishartTargetLaw(target.kappa0)


@target_law.register
def _(target: Atoms) -> TargetLaw:
    return AtomsTargetLaw(target.eigenvalues)


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
    if isinstance(target.background, Wishart):
        kappa0 = target.background.kappa0
        return SpikedTargetLaw(WishartTargetLaw(kappa0), spikes, WishartTransform(kappa0), False)
    values = target.eigenvalues
    assert values is not None
    rest = Counter(values) - Counter(map(float, target.spikes))
    transform = AtomsTransform(tuple(rest.elements()), len(values))
    return SpikedTargetLaw(AtomsTargetLaw(values), spikes, transform, True)
