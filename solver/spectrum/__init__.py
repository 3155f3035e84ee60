"""The law of S0 + delta Z for each target: edges, density, truncated moments."""

from __future__ import annotations

from collections import Counter
from functools import singledispatch

from model.targets import Atoms, PowerLaw, Spiked, Wishart
from solver.spectrum.atoms import AtomsLaw, AtomsTargetLaw
from solver.spectrum.divided_difference import mean_squared_slope
from solver.spectrum.law import Band, Nodes, NoisyLaw, TargetLaw, Truncated
from solver.spectrum.outliers import Outlier, outliers
from solver.spectrum.spiked import AtomsTransform, SpikedTargetLaw, WishartTransform
from solver.spectrum.wishart import WishartLaw, WishartTargetLaw

__all__ = [
    "AtomsLaw",
    "AtomsTargetLaw",
    "Band",
    "Nodes",
    "NoisyLaw",
    "Outlier",
    "SpikedTargetLaw",
    "TargetLaw",
    "Truncated",
    "WishartLaw",
    "WishartTargetLaw",
    "mean_squared_slope",
    "outliers",
    "target_law",
]


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


@target_law.register(Atoms)
@target_law.register(PowerLaw)
def _(target: Atoms | PowerLaw) -> TargetLaw:
    return AtomsTargetLaw(target.eigenvalues)


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
