"""Boundary: the penalty beyond which nothing is learned (theory.md section 9)."""

from __future__ import annotations

import math
from typing import Any

from attlas.model import Problem
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Absent, Boundary, Lines, Near
from attlas.solver.phase.closed_form import row_at
from attlas.solver.phase.level_set import level_set
from attlas.solver.phase.plane import Plane
from attlas.solver.phase.row import Row


def _excess(problem: Problem) -> Measured:
    """log of the penalty over the largest useful one."""
    estimator: Any = problem.estimator
    largest = largest_penalty(problem)
    value = math.log(float(estimator.lam) / largest.lam)
    return Measured(value, largest.error / largest.lam)


def _lines(plane: Plane) -> Lines | Absent:
    estimator: Any = plane.problem(plane.x.low, plane.y.low).estimator
    if estimator.shape is None or not estimator.shape.thresholds:
        return Absent("Only a soft threshold takes the map to 0.")
    if plane.problem(plane.x.low, plane.y.high).tokens.covariance is not None:
        return Absent("It has no formula for tokens with a covariance.")
    if plane.y.name == "lam":

        def row(alpha: float, tolerance: float, near: Near) -> Row:  # noqa: ARG001
            largest = largest_penalty(plane.problem(alpha, plane.y.high))
            return row_at(plane.y, largest.lam, largest.error / largest.lam)

        return Lines("y", row)
    if estimator.lam == 0:
        return Absent("Without a penalty nothing collapses: give `lam`.")
    return level_set(plane, _excess, "x")


COLLAPSE = Boundary(
    name="collapse",
    label="collapse",
    statement="Beyond it the penalty is so large, or data so few, that S = 0 exactly.",
    planes={
        "alpha,kappa0": "lam > 0",
        "alpha,noise": "lam > 0",
        "alpha,lam": "always",
        "alpha,k": "lam > 0",
    },
    sides=("S ≠ 0", "S = 0"),
    lines=_lines,
)
