"""Power-law targets with very many eigenvalues: exact subordination with neighbours grouped.

Eigenvalues far below the largest are so many that a bin of neighbours acts through its first
moments alone. A few hundred weighted values stand for up to 1e10, in every phase of theory.md
section 14, also where each eigenvalue is an outlier of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from attlas.solver.spectrum.atoms import AtomsLaw
from attlas.solver.spectrum.atoms_curve import AtomsCurve, Cluster
from attlas.solver.spectrum.atoms_poles import Poles, Split
from attlas.solver.spectrum.integrals import NAMES
from attlas.solver.spectrum.law import FloatArray, TargetLaw, Truncated
from attlas.solver.spectrum.power_modes import PowerModes

#: Eigenvalues taken one by one, and bins per decade of the index beyond.
ALONE, PER_DECADE = 120, 28
#: The most of both where a band per eigenvalue is wanted.
MOST_ALONE, MOST_PER_DECADE = 1920, 448


class GroupedPoles(Poles):
    """The eigenvalues of a power law, the largest alone and the rest in pairs that stand for bins.

    Parameters
    ----------
    modes : PowerModes
    alone, per_decade : int
        How many are taken one by one, and how fine the bins are.
    merged : int
        How many of the lowest values are joined to bins twice as wide; a multiple of 4.
    """

    def __init__(self, modes: PowerModes, alone: int, per_decade: int, merged: int = 0) -> None:
        s, w = modes.groups(alone, per_decade)
        wider = paired(w[:merged].reshape(-1, 4), s[:merged].reshape(-1, 4))
        self.s = np.concatenate((wider[0], s[merged:]))
        self.w = np.concatenate((wider[1], w[merged:]))
        self.q0 = modes.moment(2)
        self.mean = modes.moment(1)
        self.rank_fraction = 1.0
        self.offset, self.curvature, self.transform = self._gaps()
        self._splits: dict[int, Split] = {}


def paired(weights: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Two values for each row, increasing, and weights that keep its first three moments."""
    count = weights.sum(axis=1)
    mean = (weights * values).sum(axis=1) / count
    spread = np.sqrt((weights * (values - mean[:, None]) ** 2).sum(axis=1) / count)
    return np.stack((mean - spread, mean + spread), axis=1).ravel(), np.repeat(count / 2, 2)


class GroupedTargetLaw(TargetLaw):
    """The law of a power-law target with d eigenvalues.

    Parameters
    ----------
    modes : PowerModes
    alone, per_decade, merged : int
        As of :class:`GroupedPoles`.

    Attributes
    ----------
    q0, mean, rank_fraction : float
        Tr S0^2/d, Tr S0/d and 1.
    """

    rank_fraction = 1.0

    def __init__(
        self,
        modes: PowerModes,
        alone: int = ALONE,
        per_decade: int = PER_DECADE,
        merged: int = 0,
    ) -> None:
        self.modes = modes
        self.alone = alone
        self.per_decade = per_decade
        self.fine = GroupedPoles(modes, alone, per_decade, merged)
        self.q0 = self.fine.q0
        self.mean = self.fine.mean

    @cached_property
    def coarse(self) -> GroupedPoles:
        """Half as many eigenvalues alone, in bins twice as wide beyond: what grouping changes."""
        return GroupedPoles(self.modes, self.alone // 2, self.per_decade // 2)

    def noisy(self, delta: float) -> GroupedLaw:
        return GroupedLaw(self, delta)

    def resolved(self, delta: float) -> GroupedTargetLaw:
        """The same law in groups so fine that every band is one of all d eigenvalues.

        A group that stands apart would be a band that no eigenvalue has. Above the heaviest band
        eigenvalues are taken one by one until it holds the lowest quarter of them; bins are halved
        until nothing is left below it, and bins twice as wide have the same bands. Beyond
        ``MOST_ALONE`` eigenvalues and ``MOST_PER_DECADE`` bins groups stay groups.
        """
        law = self
        while True:
            bulk = law._bulk(delta)
            above = bulk.stop < law.fine.s.size - 3 * law.alone // 4
            above = above and law.alone < min(MOST_ALONE, law.modes.d)
            coarser = law.coarser(delta)
            other = coarser._bulk(delta)
            beyond = law.fine.s.size - bulk.stop
            settled = bulk.start == other.start == 0 and coarser.fine.s.size - other.stop == beyond
            within = not settled and law.per_decade < MOST_PER_DECADE
            if not above and not within:
                return law
            law = GroupedTargetLaw(
                law.modes, law.alone * (1 + above), law.per_decade * (1 + within)
            )

    def coarser(self, delta: float) -> GroupedTargetLaw:
        """With bins twice as wide in the bulk, and the same eigenvalues and groups above it."""
        held = min(self._bulk(delta).stop, self.fine.s.size - self.alone)
        return GroupedTargetLaw(self.modes, self.alone, self.per_decade, max(held, 0) // 4 * 4)

    def _bulk(self, delta: float) -> Cluster:
        """The heaviest band."""
        clusters = AtomsCurve(self.fine, delta).clusters()
        masses = [float(self.fine.w[one.start : one.stop].sum()) for one in clusters]
        return clusters[int(np.argmax(masses))]


class GroupedLaw(AtomsLaw):
    """mu_delta by subordination over groups.

    The truncated integrals' error bars hold the difference to groups that are twice as coarse,
    which is several times what grouping changes; where it happens to vanish for one integral, the
    largest relative difference of the others stands in.
    """

    def __init__(self, law: GroupedTargetLaw, delta: float) -> None:
        super().__init__(law.fine, delta)
        self._law = law

    def truncated(self, epsilon: float) -> Truncated:
        """The integrals above epsilon, any real number."""
        fine = super().truncated(epsilon)
        coarse = AtomsLaw(self._law.coarse, self.delta).truncated(epsilon)
        # squared_error_part and squared_error differ by a constant, and have the same error.
        scales = {name: abs(getattr(fine, name)) for name in NAMES}
        scales["squared_error_part"] = scales["squared_error"]
        moved = {name: abs(getattr(fine, name) - getattr(coarse, name)) for name in NAMES}
        # The mass alone jumps where groups pass the threshold.
        smooth = [name for name in NAMES if name != "mass" and scales[name] > 0]
        share = max((moved[name] / scales[name] for name in smooth), default=0.0)
        errors = {
            f"{name}_error": getattr(fine, f"{name}_error") + max(moved[name], share * scales[name])
            for name in NAMES
        }
        return replace(fine, **errors)
