"""Boundary: the band of the signal separates from the bulk (theory.md section 9)."""

from __future__ import annotations

import math

from attlas.model import Problem
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.closed_form import fixed, only_weight_decay, threshold_line
from attlas.solver.phase.level_set import level_set
from attlas.solver.phase.plane import Plane


def _lines(plane: Plane) -> Lines | Absent:
    if plane.problem(plane.x.low, plane.y.low).target.wishart_ratio is None:
        return Absent("It is defined for Wishart targets.")
    tokens = plane.problem(plane.x.low, plane.y.high).tokens
    if tokens.covariance is not None:
        return Absent("Its formula is that of tokens without a covariance.")
    ratio = fixed(plane, "kappa0")
    if ratio is not None and ratio >= 1:
        return Absent("A target of full rank has no bulk of null directions.")
    ridgeless = (
        tokens.like_gaussian and only_weight_decay(plane) is None and fixed(plane, "lam") == 0
    )
    if ridgeless and fixed(plane, "noise") == 0:
        return threshold_line(plane, "bulk-split")

    def separation(problem: Problem) -> Measured | None:
        """Positive where kappa0 (1 + delta^(2/3))^3 < 1: two bands."""
        solution = plane.solution(problem)
        if solution is None or solution.q == 0 or solution.delta is None:
            return None
        assert problem.target.wishart_ratio is not None
        root = float(problem.target.wishart_ratio) ** (1 / 3)
        power = solution.delta ** (2 / 3)
        slope = 2 / 3 * solution.delta ** (-1 / 3) / (1 + power) if solution.delta else 0.0
        return Measured(-math.log(root * (1 + power)), slope * solution.error.delta)

    return level_set(plane, separation, "x")


BULK_SPLIT = Boundary(
    name="bulk-split",
    label="bulk splits",
    statement=(
        "The law of S0 + delta Z has one band with less data and two, of masses 1 - kappa0 and "
        "kappa0, with more."
    ),
    planes={
        "alpha,kappa0": "kappa0 < 1; at lam 0 and noise 0 to all digits",
        "alpha,noise": "kappa0 < 1",
        "alpha,lam": "kappa0 < 1",
        "alpha,k": "kappa0 < 1",
    },
    sides=("one band", "two bands"),
    lines=_lines,
)
