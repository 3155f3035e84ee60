"""Boundary: the solution loses its stability (theory.md section 10)."""

from __future__ import annotations

from attlas.model import Problem
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.level_set import level_set
from attlas.solver.phase.plane import Plane


def _lines(plane: Plane) -> Lines | Absent:
    problem = plane.problem(plane.x.low, plane.y.low)
    if problem.estimator.penalty is None:
        return Absent("The Bayes-optimal solution is stable.")
    if problem.channel.convex:
        name = problem.channel.name
        return Absent(f"The {name} channel's problem is convex: its solution is stable.")

    def excess(problem: Problem) -> Measured | None:
        solution = plane.solution(problem)
        if solution is None or solution.replicon is None:
            return None
        return Measured(solution.replicon - 1, solution.error.replicon)

    return level_set(plane, excess, "y" if plane.y.name == "lam" else "x")


REPLICON = Boundary(
    name="replicon",
    label="replicon = 1",
    statement="Where the replicon exceeds 1 the solution with one state is unstable.",
    planes={
        "alpha,kappa0": "two tokens or more",
        "alpha,noise": "two tokens or more",
        "alpha,lam": "two tokens or more",
        "alpha,k": "two tokens or more",
        "alpha,rho": "two tokens or more",
    },
    sides=("stable", "unstable (replicon > 1)"),
    lines=_lines,
)
