"""What ``attlas spectrum`` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from attlas.model import Problem
from attlas.solver.solution import ABSENT, Solution, Stats
from attlas.solver.status import Status


@dataclass(frozen=True)
class LearnedBand:
    """An interval of the support of the learned eigenvalues, and its share of all d of them."""

    lower: float
    upper: float
    mass: float


@dataclass(frozen=True)
class LearnedOutlier:
    """Few learned eigenvalues apart from the bulk.

    Attributes
    ----------
    location : float
        Of the learned eigenvalue.
    overlap : float
        Squared overlap of the target direction with the learned one, in (0, 1).
    multiplicity : int
    target : float
        The target's eigenvalue.
    """

    location: float
    overlap: float
    multiplicity: int
    target: float


@dataclass(frozen=True)
class Undetected:
    """A spike of the target that leaves no outlier in the learned map.

    Attributes
    ----------
    target : float
        The spike.
    needs : float
        A value that it would have to exceed, everything else the same.
    reason : str
    """

    target: float
    needs: float
    reason: str


@dataclass(frozen=True)
class Density:
    """A density per eigenvalue on a grid that is fine towards the edges; bands follow each other.

    ``rho`` integrates over x to the mass of the bands.
    """

    x: tuple[float, ...]
    rho: tuple[float, ...]


@dataclass(frozen=True)
class SingularValues:
    """The same law for the singular values of W over sqrt(d): sqrt(lambda sqrt(kappa)).

    Masses are shares of d, so that they sum to min(kappa, 1), the number of singular values.
    """

    mass_at_zero: float
    bands: tuple[LearnedBand, ...]
    outliers: tuple[LearnedOutlier, ...]
    density: Density


@dataclass(frozen=True)
class SpectrumValues:
    """The result keys of ``attlas spectrum``.

    Attributes
    ----------
    mass_at_zero, rank_fraction : float
        Shares of zero and of non-zero eigenvalues; they sum to 1.
    bands : tuple of LearnedBand
        Of the non-zero ones, increasing. For a target of d given eigenvalues the bands of its
        outliers are among them, with their masses; where spikes are a vanishing share of the
        spectrum, outliers carry no mass and have no band.
    gaps : tuple of LearnedBand
        The empty intervals between the bands, and between zero and the first; their mass is 0.
    outliers : tuple of LearnedOutlier
        Largest first.
    undetected : tuple of Undetected
        Spikes of a spiked target that the learned map does not show.
    density : Density
    singular_values : SingularValues or None
        None where no factor is trained.
    bulk_edge : float or None
        The learned eigenvalue that the lowest band of S0 + delta Z reaches up to, 0 where all of
        it is set to zero; what lies beyond are directions of the target. None where there is one
        band.
    eta, delta, epsilon : float
        S is distributed as eta ReLU(S0 + delta Z - epsilon).
    """

    mass_at_zero: float = ABSENT
    rank_fraction: float = ABSENT
    bands: tuple[LearnedBand, ...] = ABSENT
    gaps: tuple[LearnedBand, ...] = ABSENT
    outliers: tuple[LearnedOutlier, ...] = ABSENT
    undetected: tuple[Undetected, ...] = ABSENT
    density: Density = ABSENT
    singular_values: SingularValues = ABSENT
    bulk_edge: float = ABSENT
    eta: float = ABSENT
    delta: float = ABSENT
    epsilon: float = ABSENT

    def present(self) -> dict[str, Any]:
        """The keys that hold a value, as plain dictionaries and lists."""
        values = {key: getattr(self, key) for key in SPECTRUM_KEYS}
        return {key: _plain(value) for key, value in values.items() if value is not None}


SPECTRUM_KEYS: tuple[str, ...] = tuple(field.name for field in fields(SpectrumValues))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value


@dataclass(frozen=True)
class Spectrum(SpectrumValues):
    """The predicted law of the trained map.

    Attributes
    ----------
    problem : Problem
    solution : Solution
        The solution of state evolution that it rests on.
    error : SpectrumValues
        Absolute error bars, in the shape of the values. That of the density is how far its x may
        be off, largest in ``x`` and 0 in ``rho``: the density's own value is not bounded at edges.
    status : Status
    stats : Stats
    """

    problem: Problem = ABSENT
    solution: Solution = ABSENT
    error: SpectrumValues = SpectrumValues()
    status: Status = Status.CONVERGED
    stats: Stats = ABSENT
