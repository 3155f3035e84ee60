"""A phase diagram: boundaries as curves with brackets, regions, and the map of an observable."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.model import BadInput, Problem, problem_from, require_problem
from attlas.model.errors import unknown_name
from attlas.model.names import names_checked
from attlas.solver.journal import Share
from attlas.solver.phase.bayes import BAYES
from attlas.solver.phase.bbp import BBP
from attlas.solver.phase.best_lambda import BEST_LAMBDA
from attlas.solver.phase.boundary import Absent, Boundary
from attlas.solver.phase.bulk_split import BULK_SPLIT
from attlas.solver.phase.collapse import COLLAPSE
from attlas.solver.phase.interpolation import INTERPOLATION
from attlas.solver.phase.perfect_recovery import PERFECT_RECOVERY
from attlas.solver.phase.plane import Plane
from attlas.solver.phase.regions import Region, regions
from attlas.solver.phase.replicon import REPLICON
from attlas.solver.phase.trace import Curve, Traced, trace
from attlas.solver.result import Answer
from attlas.solver.solution import OBSERVABLE_KEYS
from attlas.solver.sweep import Progress, sweep

if TYPE_CHECKING:
    import pyarrow

#: Every boundary by its name on the command line; a new one is a file and a line.
BOUNDARIES: dict[str, Boundary] = {
    boundary.name: boundary
    for boundary in (
        INTERPOLATION,
        PERFECT_RECOVERY,
        BAYES,
        COLLAPSE,
        BULK_SPLIT,
        REPLICON,
        BEST_LAMBDA,
        BBP,
    )
}

#: Relative accuracy of a map, which colours show.
_MAP_RTOL = 1e-3
#: Statuses of a sweep's rows that hold values.
_SOLVED = ("converged", "collapsed")


class PhaseStatus(Enum):
    """The outcome of a diagram; the value of each member tells the user what to do."""

    TRACED = "Traced: every boundary lies within its brackets."
    INCOMPLETE = (
        "Some problems of the plane have no solution, and boundaries may be missing there: raise "
        "`kappa`, or narrow `x` and `y`."
    )

    @property
    def ok(self) -> bool:
        """Whether all of the plane was seen."""
        return self is PhaseStatus.TRACED


@dataclass(frozen=True)
class PhaseStats:
    """What a diagram cost: wall seconds, and problems solved for its boundaries and its map."""

    seconds: float
    solves: int
    unsolved: int


@dataclass(frozen=True)
class PhaseDiagram(Answer):
    """The answer of :func:`phase`.

    Attributes
    ----------
    plane : Plane
    curves : tuple of Curve
    absent : dict from str to str
        Boundaries that were asked for and are not there, with the reason.
    regions : tuple of Region
        Largest first.
    tolerance : float
        Share of the plane's extent within which curves are straight between their points.
    map_key : str or None
    map : pyarrow.Table or None
        The rows of a sweep over the grid of both axes.
    status : PhaseStatus
    stats : PhaseStats
    """

    plane: Plane
    curves: tuple[Curve, ...]
    absent: dict[str, str]
    regions: tuple[Region, ...]
    tolerance: float
    map_key: str | None
    map: pyarrow.Table | None
    status: PhaseStatus
    stats: PhaseStats

    def to_dict(self) -> dict[str, Any]:
        """Plane, boundaries, regions and map as plain values."""
        plane = self.plane
        return {
            "plane": plane.name,
            "x": _range(plane.x),
            "y": _range(plane.y),
            "tolerance": self.tolerance,
            "boundaries": [
                {"statement": BOUNDARIES[curve.boundary].statement, **dataclasses.asdict(curve)}
                for curve in self.curves
            ],
            "absent": self.absent,
            "regions": [dataclasses.asdict(region) for region in self.regions],
            "map": None if self.map is None else self._map_document(),
        }

    def _map_document(self) -> dict[str, Any]:
        assert self.map is not None
        names = (self.plane.x.name, self.plane.y.name, self.map_key, "status")
        present = [name for name in names if name in self.map.column_names]
        return {"key": self.map_key, "rows": self.map.select(present).to_pylist()}

    def rows(self) -> list[dict[str, Any]]:
        """Those of :meth:`to_arrow`."""
        return self.to_arrow().to_pylist()

    def to_arrow(self) -> pyarrow.Table:
        """One row for each point of a curve and each cell of the map.

        ``source`` is the boundary's name, or "map"; ``piece`` numbers the connected pieces of a
        boundary; ``low`` and ``high`` bracket ``parameter``; ``value`` is the map's.
        """
        import pyarrow as pa

        x, y = self.plane.x.name, self.plane.y.name
        rows: list[dict[str, Any]] = [
            {
                "source": curve.boundary,
                "piece": piece,
                x: point.x,
                y: point.y,
                "parameter": curve.parameter,
                "low": point.low,
                "high": point.high,
            }
            for piece, curve in enumerate(self.curves)
            for point in curve.points
        ]
        if self.map is not None:
            rows += [
                {"source": "map", x: row[x], y: row[y], "value": row.get(self.map_key)}
                for row in self.map.to_pylist()
            ]
        types = {name: pa.float64() for name in (x, y, "low", "high", "value")}
        types |= {"source": pa.string(), "piece": pa.int64(), "parameter": pa.string()}
        return pa.table(
            {name: pa.array([row.get(name) for row in rows], kind) for name, kind in types.items()}
        )


def _range(axis: Any) -> dict[str, Any]:
    return {"parameter": axis.name, "low": axis.low, "high": axis.high, "log": axis.log}


@names_checked
def phase(
    problem: Problem,
    plane: str = "alpha,kappa0",
    *,
    x: str | None = None,
    y: str | None = None,
    boundaries: Iterable[str] | None = None,
    map_key: str | None = None,
    tolerance: float = 2e-3,
    workers: int | None = None,
    kept: str | Path | None = None,
    progress: Progress | None = None,
    share: Share | None = None,
) -> PhaseDiagram:
    """Trace the phase boundaries of a plane through a problem (theory.md sections 7 to 10).

    Parameters
    ----------
    problem : Problem
        Gives every parameter but the two of the plane, whose values it carries are not used.
    plane : {"alpha,kappa0", "alpha,noise", "alpha,lam", "alpha,k", "alpha,rho"}
        k is the excess kurtosis of isotropic tokens, rho the correlation of neighbouring
        coordinates (``--token-covariance ar1:rho=...``).
    x, y : str, optional
        Ranges as the command line writes them: ``0.05:0.6:40``, or ``...:log``. The number of
        values is that of the map; boundaries are followed at their own pace.
    boundaries : iterable of str, optional
        Keys of :data:`BOUNDARIES`; by default all that exist.
    map_key : str, optional
        A result key to be computed on the grid of both ranges.
    tolerance : float
        Share of the plane's extent within which curves are straight between their points.
    workers : int, optional
        Processes for the map.
    kept : path, optional
        Where the map's rows are kept, so that it resumes; the file stays, for the caller to remove.
    progress : callable, optional
        Called with (done, all): boundaries first, then cells of the map.
    share : (index, count), optional
        Compute this share of the map's cells only, as :func:`attlas.sweep` does, and no boundary.

    Raises
    ------
    BadInput
        For unknown names and bad ranges, before anything is solved.
    """
    began = time.perf_counter()
    if not 1e-6 <= tolerance <= 0.1:
        raise BadInput("tolerance", tolerance, "must be at least 1e-6 and at most 0.1")
    if map_key is not None and map_key not in OBSERVABLE_KEYS:
        raise unknown_name("map_key", map_key, OBSERVABLE_KEYS)
    if share is not None and map_key is None:
        raise BadInput("map", "", "must be given: shares are shares of its cells")
    asked = tuple(BOUNDARIES if boundaries is None else boundaries)
    for name in asked:
        if name not in BOUNDARIES:
            raise unknown_name("boundaries", name, BOUNDARIES)
    area = Plane.of(require_problem(problem, any_tokens=True), plane, x, y)
    absent: dict[str, str] = {}
    traced: dict[str, Traced] = {}
    divides: list[str] = []
    for done, name in enumerate(() if share is not None else asked, start=1):
        boundary = BOUNDARIES[name]
        lines: Any = Absent(f"It is no curve in the plane {area.name}.")
        if area.name in boundary.planes:
            lines = boundary.lines(area)
        if isinstance(lines, Absent):
            absent[name] = lines.reason
        else:
            traced[name] = trace(area, name, lines, tolerance)
            if not traced[name].curves:
                absent[name] = "It lies outside the ranges."
            elif lines.divides:
                divides.append(name)
        if progress is not None:
            progress(done, len(asked))
    table = None
    if map_key is not None:
        axes: dict[str, Any] = area.flat_axes()
        first = problem_from(**{**area.base, **{name: values[0] for name, values in axes.items()}})
        table = sweep(
            first,
            kept=kept,
            workers=workers,
            rtol=_MAP_RTOL,
            progress=progress,
            share=share,
            **axes,
        )
        table = area.with_axes(table)
    unsolved = area.unsolved
    cells = [] if table is None else table.column("status").to_pylist()
    unsolved += sum(status not in _SOLVED for status in cells)
    return PhaseDiagram(
        plane=area,
        curves=tuple(curve for found in traced.values() for curve in found.curves),
        absent=absent,
        regions=regions(
            area,
            {name: traced[name] for name in divides},
            {name: BOUNDARIES[name].sides for name in divides},
        ),
        tolerance=tolerance,
        map_key=map_key,
        map=table,
        status=PhaseStatus.INCOMPLETE if unsolved else PhaseStatus.TRACED,
        stats=PhaseStats(time.perf_counter() - began, len(area.solutions) + len(cells), unsolved),
    )
