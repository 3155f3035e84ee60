"""Problems that are solved without iterating state evolution."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem
from attlas.model.errors import BadInput
from attlas.solver.bayes import bayes_solution
from attlas.solver.error_bars import accurate
from attlas.solver.ridgeless import penalised_solution
from attlas.solver.solution import Solution
from attlas.solver.status import Status


def analytic_solution(problem: Problem, rtol: float) -> Solution | None:
    """The solution where a problem has a direct route, or None where it has to be iterated.

    Parameters
    ----------
    problem : Problem
    rtol : float
        Relative accuracy asked of q, m, sigma and the loss.
    """
    posterior = problem.estimator.penalty is None
    if not problem.tokens.like_gaussian:
        return _none_for_tokens(problem, posterior=posterior)
    solution = bayes_solution(problem) if posterior else penalised_solution(problem)
    if solution is None:
        return None
    if solution.status.ok and not accurate(solution, solution.error, rtol):
        solution = replace(solution, status=Status.INACCURATE)
    return replace(solution, branches=solution.branches or (solution,))


def _none_for_tokens(problem: Problem, *, posterior: bool) -> None:
    """Tokens of theory.md section 17 are iterated, at a penalty.

    Raises
    ------
    BadInput
        Where there is nothing to iterate.
    """
    if posterior:
        raise BadInput(
            "training",
            problem.estimator.name,
            "has no theory for tokens other than independent Gaussian ones",
        )
    if problem.estimator.trained().vanishes:
        raise BadInput(
            "lam",
            0,
            "must be greater than 0 for tokens other than independent Gaussian ones",
            "the limit lam -> 0+ is not derived for them",
        )
