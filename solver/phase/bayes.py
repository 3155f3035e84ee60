"""Boundary: exact recovery by any method (theory.md section 12)."""

from __future__ import annotations

from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.closed_form import fixed, threshold_line
from attlas.solver.phase.plane import Plane


def _lines(plane: Plane) -> Lines | Absent:
    if fixed(plane, "noise") != 0:
        return Absent("With noise not even the Bayes-optimal estimate is exact.")
    if not plane.problem(plane.x.low, plane.y.low).tokens.like_gaussian:
        return Absent("It is known for independent Gaussian tokens.")
    if plane.problem(plane.x.low, plane.y.low).target.wishart_ratio is None:
        return Absent("It is known for Wishart targets.")
    return threshold_line(plane, "bayes")


BAYES = Boundary(
    name="bayes",
    label="Bayes-optimal recovery",
    statement="Without noise no method recovers the target exactly with less data.",
    planes={"alpha,kappa0": "noise 0"},
    sides=("no method recovers S₀", "recovery is possible"),
    lines=_lines,
)
