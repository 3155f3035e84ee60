"""The picture of a solution: what ``solution.plot()`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attlas.reports.figures.spectrum import spectrum_figure
from attlas.solver.learned_spectrum.rule import require_map
from attlas.solver.learned_spectrum.spectrum import spectrum_of
from attlas.solver.solution import Solution, SolveError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def solution_figure(solution: Solution) -> Figure:
    """The predicted spectrum of the trained map; see `Solution.plot`."""
    require_map(solution.problem.estimator)
    if not solution.status.ok:
        raise SolveError(solution)
    return spectrum_figure(spectrum_of(solution))
