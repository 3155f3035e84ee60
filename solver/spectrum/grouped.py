"""Power-law targets with very many eigenvalues: exact subordination with neighbours grouped.

Eigenvalues far below the largest are so many that a bin of neighbours acts through its first
moments alone. A few hundred weighted values stand for up to 1e10, in every phase of theory.md
section 14, also where each eigenvalue is an outlier of its own.
"""

from __future__ import annotations

from dataclasses import replace

from solver.spectrum.atoms import AtomsLaw
from solver.spectrum.atoms_poles import Poles, Split
from solver.spectrum.integrals import NAMES
from solver.spectrum.law import Truncated
from solver.spectrum.power_modes import PowerModes

#: Eigenvalues taken one by one, and bins per decade of the index beyond; coarse and fine.
COARSE, FINE = (60, 14), (120, 28)


class GroupedPoles(Poles):
    """The eigenvalues of a power law, the largest alone and the rest in pairs that stand for bins.

    Parameters
    ----------
    modes : PowerModes
    alone, per_decade : int
        How many are taken one by one, and how fine the bins are.
    """

    def __init__(self, modes: PowerModes, alone: int, per_decade: int) -> None:
        self.s, self.w = modes.groups(alone, per_decade)
        self.q0 = modes.moment(2)
        self.mean = modes.moment(1)
        self.rank_fraction = 1.0
        self.offset, self.curvature, self.transform = self._gaps()
        self._splits: dict[int, Split] = {}


class GroupedTargetLaw:
    """The law of a power-law target with d eigenvalues.

    Parameters
    ----------
    modes : PowerModes

    Attributes
    ----------
    q0, mean, rank_fraction : float
        Tr S0^2/d, Tr S0/d and 1.
    """

    rank_fraction = 1.0

    def __init__(self, modes: PowerModes) -> None:
        self.modes = modes
        self.fine = GroupedPoles(modes, *FINE)
        self.coarse = GroupedPoles(modes, *COARSE)
        self.q0 = self.fine.q0
        self.mean = self.fine.mean

    def noisy(self, delta: float) -> GroupedLaw:
        """The law of S0 + delta Z.

        Raises
        ------
        BadInput
            If delta is not positive and finite.
        """
        return GroupedLaw(self, delta)


class GroupedLaw(AtomsLaw):
    """mu_delta by subordination over groups.

    The truncated integrals' error bars hold the difference to groups that are twice as coarse,
    which is several times what grouping changes; where it happens to vanish for one integral, the
    largest relative difference of the others stands in.
    """

    def __init__(self, law: GroupedTargetLaw, delta: float) -> None:
        super().__init__(law.fine, delta)
        self._coarse = law.coarse

    def truncated(self, epsilon: float) -> Truncated:
        """The integrals above epsilon, any real number."""
        fine = super().truncated(epsilon)
        coarse = AtomsLaw(self._coarse, self.delta).truncated(epsilon)
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
