"""The theory beside one run: that of its own teacher's eigenvalues."""

from __future__ import annotations

import math
from fractions import Fraction

from attlas.model import Atoms, Problem
from attlas.model.exact import Number
from attlas.solver import solve
from attlas.solver.solution import Observables, Solution
from attlas.verify.data.teacher import Teacher, draw_teacher
from attlas.verify.simulation.student import width_of
from attlas.verify.store.case import Case

#: Relative accuracy of the theory beside runs: far below every margin, and its error bars count.
RTOL = 1e-4
#: The same, asked for beside single runs.
_SHARP = 1e-5


def paired_problem(
    problem: Problem, teacher: Teacher, n: int, p: int, lam: Number | None = None
) -> Problem:
    """The problem whose theory belongs to one run. theory.md section 16.

    Its target is the teacher's own eigenvalues, the covariance of its tokens that of d coordinates,
    alpha = n/d^2 and kappa = p/d exactly; ``lam`` replaces the penalty where it is given.
    """
    return problem.with_(
        target=Atoms(teacher.eigenvalues),
        estimator=problem.estimator.with_(lam=lam, kappa=Fraction(p, teacher.d)),
        alpha=Fraction(n, teacher.d**2),
        tokens=problem.tokens.at_dimension(teacher.d),
    )


def paired_at(case: Case) -> Problem:
    """The problem whose theory belongs to a case, at the eigenvalues of its own teacher."""
    problem, d = case.problem, case.d
    teacher = draw_teacher(problem.target, d, case.seed)
    return paired_problem(problem, teacher, problem.samples(d), width_of(problem.estimator, d))


def theory_of(problem: Problem) -> tuple[Observables | None, Observables | None]:
    """Values and error bars of the theory; None where it does not converge to ``RTOL``.

    More is asked for, as near recovery the squared error is a small difference; where the proximal
    point jumps that may be out of reach, and the error bars say what was reached.
    """
    from attlas.solver.channels import channel_kernel  # not needed to train
    from attlas.solver.error_bars import worst
    from attlas.solver.solve import solve, unnamed_tolerance
    from attlas.solver.status import Status

    sharp = unnamed_tolerance(channel_kernel(problem.channel, problem.scores)) <= _SHARP
    solution = solve(problem, rtol=_SHARP if sharp else None, raise_on_failure=False)
    near = solution.status is Status.INACCURATE and worst(solution, solution.error) <= RTOL
    if not solution.status.ok and not near:
        return None, None
    return Observables(**solution.present()), solution.error


def limit(problem: Problem) -> Solution | None:
    """The solution of a problem, or None where there is none within its error bars.

    A wrong theory may fail in more ways than a right one: what its equations cannot do is then
    no solution either.
    """
    try:
        solution = solve(problem, rtol=RTOL, raise_on_failure=False)
    except (ArithmeticError, ValueError):
        return None
    return solution if solution.status.ok else None


def finite(values: Observables) -> dict[str, float]:
    """The keys that hold a finite number."""
    return {key: value for key, value in values.present().items() if math.isfinite(value)}
