"""What ``attlas spectrum`` returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

from attlas.model import Problem
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Result
from attlas.solver.solution import ABSENT, Solution, Stats
from attlas.solver.status import Status


@dataclass(frozen=True)
class LearnedBand:
    """An interval of the support of the learned eigenvalues, and its share of all d of them."""

    lower: Annotated[
        float, Key("lower end of a band or gap of learned eigenvalues", "0 or more", theory_md("9"))
    ]
    upper: Annotated[
        float,
        Key("upper end of a band or gap of learned eigenvalues", "above lower", theory_md("9")),
    ]
    mass: Annotated[
        float,
        Key(
            "share of all d eigenvalues that lie in the band; 0 in a gap",
            "between 0 and 1",
            theory_md("6"),
            Definition(
                "∫ μ_δ(dx) over the band, taken back to x = x̂/η + ε",
                r"\int_{\mathrm{lower}/\eta+\epsilon}^{\mathrm{upper}/\eta+\epsilon}\mu_\delta(dx)",
            ),
        ),
    ]


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

    location: Annotated[
        float,
        Key(
            "the learned eigenvalue of an outlier",
            "greater than 0",
            theory_md("9"),
            Definition(
                "η (ϑ + δ² G₀(ϑ) − ε), ϑ the target's eigenvalue, G₀ the transform of the "
                "background",
                r"\eta(\vartheta+\delta^2G_0(\vartheta)-\epsilon)",
            ),
        ),
    ]
    overlap: Annotated[
        float,
        Key(
            "squared overlap of the target's direction with the outlier's",
            "between 0 and 1",
            theory_md("9"),
            Definition(
                "1 + δ² G₀′(ϑ), ϑ the target's eigenvalue, G₀ the transform of the background",
                r"1+\delta^2G_0'(\vartheta)",
            ),
        ),
    ]
    multiplicity: Annotated[
        int,
        Key(
            "eigenvalues that an outlier stands for, because they are too close to be told apart",
            "whole number, 1 or more",
            theory_md("9"),
        ),
    ]
    target: Annotated[
        float,
        Key(
            "eigenvalue of the target (a spike) that an outlier belongs to, or that leaves none",
            "greater than 0",
            theory_md("9"),
        ),
    ]


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

    target: Annotated[float, Key()]
    needs: Annotated[
        float,
        Key(
            "value that an undetected spike would have to exceed, everything else the same",
            "greater than target",
            theory_md("9"),
        ),
    ]
    reason: Annotated[str, Key("why the spike leaves no outlier", "text", theory_md("9"))]


@dataclass(frozen=True)
class Density:
    """A density per eigenvalue on a grid that is fine towards the edges; bands follow each other.

    ``rho`` integrates over x to the mass of the bands.
    """

    x: Annotated[
        tuple[float, ...],
        Key("grid of learned eigenvalues at which rho is given", "greater than 0", theory_md("6")),
    ]
    rho: Annotated[
        tuple[float, ...],
        Key(
            "density at x; integrates over x to the mass of the bands",
            "0 or more",
            theory_md("6"),
            Definition("ρ(x̂) = μ_δ(x̂/η + ε)/η", r"\mu_\delta(x/\eta+\epsilon)/\eta"),
        ),
    ]


@dataclass(frozen=True)
class SingularValues:
    """The same law for the singular values of W over sqrt(d): sqrt(lambda sqrt(kappa)).

    Masses are shares of d, so that they sum to min(kappa, 1), the number of singular values.
    """

    mass_at_zero: Annotated[float, Key()]
    bands: Annotated[tuple[LearnedBand, ...], Key()]
    outliers: Annotated[tuple[LearnedOutlier, ...], Key()]
    density: Annotated[Density, Key()]


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

    mass_at_zero: Annotated[
        float,
        Key(
            "share of the learned map's eigenvalues that are zero; of a file's weights, of the "
            "d singular values",
            "between 0 and 1",
            theory_md("6"),
            Definition("F(ε) = 1 − rank_fraction", r"F(\epsilon) = \mu_\delta((-\infty,\epsilon])"),
        ),
    ] = ABSENT
    rank_fraction: Annotated[float, Key()] = ABSENT
    bands: Annotated[
        tuple[LearnedBand, ...],
        Key(
            "intervals that hold the non-zero learned eigenvalues, increasing; with several "
            "alpha or lam, their number",
            "list of {lower, upper, mass}; or a whole number",
            theory_md("9"),
            Definition(
                "support of x̂ > 0, x̂ = η max(x − ε, 0), x an eigenvalue of S₀ + δZ",
                r"\mathrm{supp}\,\eta(x-\epsilon)_+",
            ),
        ),
    ] = ABSENT
    gaps: Annotated[
        tuple[LearnedBand, ...],
        Key(
            "empty intervals between the bands, and between zero and the first",
            "list of {lower, upper, mass}",
            theory_md("9"),
        ),
    ] = ABSENT
    outliers: Annotated[
        tuple[LearnedOutlier, ...],
        Key(
            "few learned eigenvalues apart from the bulk, largest first; with several alpha or "
            "lam, their number; of a file's weights, singular values beyond edge",
            "list of {location, overlap, multiplicity, target}; or a whole number; or numbers",
            theory_md("9"),
        ),
    ] = ABSENT
    undetected: Annotated[
        tuple[Undetected, ...],
        Key(
            "spikes of the target that leave no outlier in the learned map",
            "list of {target, needs, reason}",
            theory_md("9"),
        ),
    ] = ABSENT
    density: Annotated[
        Density,
        Key(
            "density of the learned eigenvalues in the bands, on a grid that is fine at the edges",
            "{x, rho}, two lists",
            theory_md("6"),
            Definition("ρ(x̂) = μ_δ(x̂/η + ε)/η", r"\mu_\delta(x/\eta+\epsilon)/\eta"),
        ),
    ] = ABSENT
    singular_values: Annotated[
        SingularValues,
        Key(
            "the same law for the singular values of the factor W/sqrt(d); of a file's "
            "weights, those of the head's map that are not zero by its width",
            "{mass_at_zero, bands, outliers, density}; or numbers, descending",
            theory_md("1"),
            Definition("√(x̂ √κ), x̂ a learned eigenvalue", r"\sqrt{\hat x\sqrt\kappa}"),
        ),
    ] = ABSENT
    bulk_edge: Annotated[
        float,
        Key(
            "where the lowest of several bands of S0 + delta Z ends in the learned spectrum, 0 "
            "where all of it is set to zero; beyond are directions of the target",
            "0 or more; absent where there is one band",
            theory_md("9"),
            Definition("η max(upper edge of the lowest band − ε, 0)", r"\eta\,(x_1-\epsilon)_+"),
        ),
    ] = ABSENT
    eta: Annotated[float, Key()] = ABSENT
    delta: Annotated[float, Key()] = ABSENT
    epsilon: Annotated[float, Key()] = ABSENT

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
class Spectrum(SpectrumValues, Result):
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
