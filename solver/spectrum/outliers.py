"""Eigenvalues of S0 + delta Z that stand apart from its bulk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from solver.spectrum.atoms import AtomsLaw, AtomsTargetLaw
from solver.spectrum.atoms_curve import Cluster
from solver.spectrum.law import Band, TargetLaw
from solver.spectrum.spiked import SpikedTargetLaw


@dataclass(frozen=True)
class Outlier:
    """Few eigenvalues of S0 + delta Z outside its bulk.

    Attributes
    ----------
    spikes : tuple of float
        The distinct eigenvalues of the target that they belong to; several where they are too
        close to be told apart.
    multiplicity : int
    location : float
        In S0 + delta Z; the mean where there are several.
    overlap : float
        Squared overlap of a target direction with the outlier's eigenspace, in (0, 1).
    """

    spikes: tuple[float, ...]
    multiplicity: int
    location: float
    overlap: float


@singledispatch
def outliers(
    law: TargetLaw,  # noqa: ARG001
    delta: float,  # noqa: ARG001
    d: int | None = None,  # noqa: ARG001
) -> tuple[Outlier, ...]:
    """The outliers of S0 + delta Z, largest first (theory.md section 9).

    Parameters
    ----------
    law : TargetLaw
        A target with a continuous law has none. Where spikes are a vanishing share of the
        spectrum the formulas of theory.md section 9 hold; for d given eigenvalues an outlier is a
        band above the heaviest one with at most sqrt(d) eigenvalues, and both numbers are
        averages over the band.
    delta : float
        Noise level, > 0.
    d : int, optional
        The number of eigenvalues of a target that is given by them.
    """
    return ()


@outliers.register
def _(law: SpikedTargetLaw, delta: float, d: int | None = None) -> tuple[Outlier, ...]:
    if law.finite:
        return outliers(law.bulk, delta, d)
    return tuple(
        Outlier((spike,), count, law.location(spike, delta), overlap)
        for spike, count in law.spikes
        if (overlap := law.overlap(spike, delta)) > 0
    )


@outliers.register
def _(law: AtomsTargetLaw, delta: float, d: int | None = None) -> tuple[Outlier, ...]:
    if d is None:
        raise TypeError("outliers of given eigenvalues need their number d")
    noisy = law.noisy(delta)
    clusters, bands = noisy.curve.clusters(), noisy.bands()
    bulk = max(range(len(bands)), key=lambda index: bands[index].mass)
    found = []
    for cluster, band in zip(clusters[bulk + 1 :], bands[bulk + 1 :], strict=True):
        if round(band.mass * d) ** 2 <= d:
            found.append(_averaged(noisy, cluster, band, d))
    return tuple(reversed(found))


def _averaged(noisy: AtomsLaw, cluster: Cluster, band: Band, d: int) -> Outlier:
    """A band's own target eigenvalues, and averages over the coupling of theory.md section 13."""
    held = slice(cluster.start, cluster.stop)
    spikes, weights = noisy.poles.s[held], noisy.poles.w[held]
    middle = (band.lower + band.upper) / 2
    nodes = noisy.graded_nodes(band.lower, band.upper, 24, None)
    pull = noisy.delta**2
    real, imaginary = nodes.x - pull * nodes.hilbert, np.pi * pull * nodes.rho
    kernel = pull / ((real[:, None] - spikes) ** 2 + imaginary[:, None] ** 2)
    return Outlier(
        spikes=tuple(map(float, spikes)),
        multiplicity=round(band.mass * d),
        location=middle + float(nodes.w @ (nodes.x - middle)) / band.mass,
        overlap=float((nodes.w @ kernel) @ weights) / band.mass,
    )
