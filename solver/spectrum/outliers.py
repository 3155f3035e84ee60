"""Eigenvalues of S0 + delta Z that stand apart from its bulk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from attlas.solver.spectrum.atoms import AtomsLaw, AtomsTargetLaw
from attlas.solver.spectrum.atoms_curve import Cluster
from attlas.solver.spectrum.grouped import GroupedTargetLaw
from attlas.solver.spectrum.law import TargetLaw
from attlas.solver.spectrum.spiked import SpikedTargetLaw


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
        averages over the band. Eigenvalues in groups have to be resolved first: then each that
        stands apart is one outlier (:meth:`attlas.solver.spectrum.GroupedTargetLaw.resolved`).
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
    return _apart(law.noisy(delta), d)


@outliers.register
def _(law: GroupedTargetLaw, delta: float, d: int | None = None) -> tuple[Outlier, ...]:
    return _apart(law.noisy(delta), d or law.modes.d)


def _apart(noisy: AtomsLaw, d: int) -> tuple[Outlier, ...]:
    """The light bands above the heaviest one, largest first."""
    weights = noisy.poles.w
    clusters = noisy.curve.clusters()
    masses = [float(weights[one.start : one.stop].sum()) for one in clusters]
    bulk = max(range(len(clusters)), key=masses.__getitem__)
    return tuple(
        _averaged(noisy, clusters[index], masses[index], d)
        for index in range(len(clusters) - 1, bulk, -1)
        if round(masses[index] * d) ** 2 <= d
    )


def _averaged(noisy: AtomsLaw, cluster: Cluster, mass: float, d: int) -> Outlier:
    """A band's own target eigenvalues s_i, and averages over it, which are residues.

    With G0 of all eigenvalues s_j, a contour around the band gives exactly
    mean x = mean s_i + delta^2 mean sum_j w_j/(s_i - s_j) and, for the share of directions that
    stay in the band, 1 - delta^2 mean sum_j w_j/(s_i - s_j)^2, j outside of it. For one eigenvalue
    in an infinite sea these are s + delta^2 G0(s) and 1 + delta^2 G0'(s) of theory.md section 9.
    """
    s, w = noisy.poles.s, noisy.poles.w
    own = slice(cluster.start, cluster.stop)
    rest, weights = np.delete(s, own), np.delete(w, own)
    share = w[own] / mass
    inverse = 1 / np.subtract.outer(s[own], rest)
    pull = noisy.delta**2
    return Outlier(
        spikes=tuple(map(float, s[own])),
        multiplicity=round(mass * d),
        location=float(share @ (s[own] + pull * (inverse @ weights))),
        overlap=1 - pull * float(share @ (inverse**2 @ weights)),
    )
