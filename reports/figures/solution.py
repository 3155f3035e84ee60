"""The picture of a solution: what ``solution.plot()`` shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attlas.reports.figures.sheet import require_picture, save
from attlas.reports.figures.spectrum import drawn_spectrum
from attlas.solver.learned_spectrum.rule import require_map
from attlas.solver.learned_spectrum.spectrum import spectrum_of
from attlas.solver.solution import Solution, SolveError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def solution_figure(solution: Solution, path: str | Path | None = None) -> Figure:
    """The predicted spectrum of the trained map; see `Solution.plot`."""
    target = None if path is None else require_picture("path", path)
    require_map(solution.problem.estimator)
    if not solution.status.ok:
        raise SolveError(solution)
    figure = drawn_spectrum(spectrum_of(solution))
    if target is not None:
        save(figure, target)
    return figure
