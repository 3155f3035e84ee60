"""Problems that are solved without iterating state evolution."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from attlas.model import BayesOptimal, Estimator, Problem
from attlas.solver.bayes import bayes_solution
from attlas.solver.error_bars import accurate
from attlas.solver.ridgeless import penalised_solution
from attlas.solver.solution import Solution
from attlas.solver.status import Status


@singledispatch
def _solved(estimator: Estimator, problem: Problem) -> Solution | None:  # noqa: ARG001
    return penalised_solution(problem)


@_solved.register
def _(estimator: BayesOptimal, problem: Problem) -> Solution:  # noqa: ARG001
    return bayes_solution(problem)


def analytic_solution(problem: Problem, rtol: float) -> Solution | None:
    """The solution where a problem has a direct route, or None where it has to be iterated.

    Parameters
    ----------
    problem : Problem
    rtol : float
        Relative accuracy asked of q, m, sigma and the loss.
    """
    solution = _solved(problem.estimator, problem)
    if solution is None:
        return None
    if solution.status.ok and not accurate(solution, solution.error, rtol):
        solution = replace(solution, status=Status.INACCURATE)
    return replace(solution, branches=solution.branches or (solution,))
