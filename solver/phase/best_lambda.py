"""Boundary: the penalty is the best one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from attlas.model import Problem
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.closed_form import fixed
from attlas.solver.phase.level_set import level_set
from attlas.solver.phase.plane import Plane

#: Half width, in log lam, of the difference that stands for the derivative.
_STEP = 0.02


def _lines(plane: Plane) -> Lines | Absent:
    if not hasattr(plane.problem(plane.x.low, plane.y.low).estimator, "lam"):
        return Absent("This training has no penalty.")
    if fixed(plane, "lam") == 0:
        return Absent("The penalty must not be 0: give `lam`.")

    def slope(problem: Problem) -> Measured | None:
        """d log(test error)/d log(lam): negative where more penalty helps."""
        estimator: Any = problem.estimator
        sides = []
        for sign in (-1, 1):
            lam = float(estimator.lam) * math.exp(sign * _STEP)
            found = plane.solution(problem.with_(estimator=estimator.with_(lam=lam)))
            if found is None or found.q == 0 or not found.test_error:
                return None
            sides.append(found)
        less, more = sides
        value = math.log(more.test_error / less.test_error) / (2 * _STEP)
        noise = sum(one.error.test_error / one.test_error for one in sides) / (2 * _STEP)
        return Measured(value, noise + _STEP**2 * abs(value))

    # A line of best choices, with the same phase on both sides.
    return replace(level_set(plane, slope, "y" if plane.y.name == "lam" else "x"), divides=False)


BEST_LAMBDA = Boundary(
    name="best-lambda",
    label="best λ",
    statement=(
        "The test error is stationary in lam: more penalty helps on one side, less on the other."
    ),
    planes={
        "alpha,kappa0": "lam > 0",
        "alpha,noise": "lam > 0",
        "alpha,lam": "always",
        "alpha,k": "lam > 0",
        "alpha,rho": "lam > 0",
    },
    sides=("more penalty helps", "less penalty helps"),
    lines=_lines,
)
