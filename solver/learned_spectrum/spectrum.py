"""The spectrum of a trained head, predicted."""

from __future__ import annotations

import math
import time
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

from attlas.model import Problem, require_isotropic, require_problem
from attlas.model.names import names_checked
from attlas.solver.learned_spectrum.predicted import NO_NOISE, Predicted
from attlas.solver.learned_spectrum.propagate import bars
from attlas.solver.learned_spectrum.result import (
    Density,
    LearnedBand,
    SingularValues,
    Spectrum,
    SpectrumValues,
)
from attlas.solver.learned_spectrum.rule import require_map
from attlas.solver.solution import Solution
from attlas.solver.solve import solve

_ROUNDING = 1e-12
_NO_DENSITY = Density((), ())


@names_checked
def spectrum(
    problem: Problem, *, rtol: float | None = None, raise_on_failure: bool = True
) -> Spectrum:
    """The law of the trained map S (theory.md sections 6 and 9).

    Parameters
    ----------
    problem : Problem
        Of any target; the estimator must train a map.
    rtol : float, optional
        Relative accuracy of the solution, as for :func:`attlas.solver.solve`.
    raise_on_failure : bool
        Whether a failed solve raises :class:`SolveError` or is returned with its status.

    Returns
    -------
    Spectrum
        Eigenvalues of S are of order one as d grows; singular values of W are over sqrt(d).

    Raises
    ------
    BadInput, SolveError
        As :func:`attlas.solver.solve`; BadInput for ``--training bayes``, which trains nothing.
    """
    began = time.perf_counter()
    require_map(require_problem(problem, any_tokens=True).estimator)
    require_isotropic(problem, "the law of C^(1/2) S C^(1/2) is known by its moments")
    solution = solve(problem, rtol=rtol, raise_on_failure=raise_on_failure)
    if not solution.status.ok:
        return Spectrum(
            problem=problem, solution=solution, status=solution.status, stats=solution.stats
        )
    found = spectrum_of(solution)
    return replace(found, stats=replace(solution.stats, seconds=time.perf_counter() - began))


def spectrum_of(solution: Solution) -> Spectrum:
    """The law of the trained map at a solution that is already known.

    Parameters
    ----------
    solution : Solution
        With a status that is ok.
    """
    problem = solution.problem
    predicted = Predicted.of(problem, solution)
    values = _values(problem, solution, predicted)
    moved = [
        _values(problem, other, predicted.moved(problem, other))
        for key in ("eta", "delta", "epsilon")
        if (bar := getattr(solution.error, key)) and solution.delta > 0
        for other in (replace(solution, **{key: getattr(solution, key) + bar}),)
    ]
    if (coarser := predicted.coarser(problem, solution)) is not None:
        moved.append(_values(problem, solution, coarser))
    error = bars(values, moved, max(_ROUNDING, NO_NOISE if solution.delta == 0 else 0.0))
    density = predicted.density()
    singular = values.singular_values
    if singular is not None:
        width = float(problem.estimator.trained().width or 1)
        singular = replace(singular, density=_of_factor(density, _root(width)))
    return Spectrum(
        **{
            **{field.name: getattr(values, field.name) for field in fields(SpectrumValues)},
            "density": density,
            "singular_values": singular,
        },
        problem=problem,
        solution=solution,
        error=_with_density(error, density),
        status=solution.status,
        stats=solution.stats,
    )


def _values(problem: Problem, solution: Solution, predicted: Predicted) -> SpectrumValues:
    """All but the densities."""
    rank, bands = predicted.rank_fraction, predicted.bands()
    outliers = predicted.outliers()
    bulk_edge: Any = predicted.bulk_edge
    singular: Any = None
    width = problem.estimator.trained().width
    if width is not None:
        root = _root(float(width))
        singular = SingularValues(
            mass_at_zero=max(min(float(width), 1.0) - rank, 0.0),
            bands=tuple(
                LearnedBand(root(band.lower), root(band.upper), band.mass) for band in bands
            ),
            outliers=tuple(replace(one, location=root(one.location)) for one in outliers),
            density=_NO_DENSITY,
        )
    return SpectrumValues(
        mass_at_zero=1.0 - rank,
        rank_fraction=rank,
        bands=bands,
        gaps=_gaps(bands, predicted.rule.cut),
        outliers=outliers,
        undetected=predicted.undetected(),
        density=_NO_DENSITY,
        singular_values=singular,
        bulk_edge=bulk_edge,
        eta=float(solution.eta),
        delta=float(solution.delta),
        epsilon=float(solution.epsilon),
    )


def _gaps(bands: tuple[LearnedBand, ...], cut: float) -> tuple[LearnedBand, ...]:
    ends = [(one.upper, two.lower) for one, two in pairwise(bands)]
    if bands and math.isfinite(cut) and bands[0].lower > 0:
        ends.insert(0, (0.0, bands[0].lower))
    return tuple(LearnedBand(lower, upper, 0.0) for lower, upper in ends)


def _root(width: float) -> Any:
    """From an eigenvalue of S = W W^T/sqrt(p d) to a singular value of W over sqrt(d)."""
    root = math.sqrt(width)
    return lambda value: math.sqrt(max(value, 0.0) * root)


def _of_factor(density: Density, root: Any) -> Density:
    """The density in sigma = root(x): that in x times dx/dsigma = 2 x/sigma."""
    sigma = tuple(map(root, density.x))
    heights = tuple(
        2 * rho * x / s if s > 0 else 0.0
        for x, rho, s in zip(density.x, density.rho, sigma, strict=True)
    )
    return Density(sigma, heights)


def _with_density(error: SpectrumValues, density: Density) -> SpectrumValues:
    """A density is uncertain by how far its edges may be off in x."""
    size = len(density.x)

    def moved(found: Any) -> Density:
        off = max((max(band.lower, band.upper) for band in found.bands), default=0.0)
        return Density((off,) * size, (0.0,) * size)

    singular = error.singular_values
    if singular is not None:
        singular = replace(singular, density=moved(singular))
    return replace(error, density=moved(error), singular_values=singular)
