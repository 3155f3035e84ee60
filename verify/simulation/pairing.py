"""The theory beside one run: that of its own teacher's eigenvalues."""

from __future__ import annotations

from fractions import Fraction

from model import Atoms, Problem
from model.exact import Number
from solver.solution import Observables
from verify.data.teacher import Teacher, draw_teacher
from verify.simulation.student import at_width, width_of
from verify.store.case import Case

#: Relative accuracy of the theory beside runs: far below every margin, and its error bars count.
RTOL = 1e-4


def paired_problem(
    problem: Problem, teacher: Teacher, n: int, p: int, lam: Number | None = None
) -> Problem:
    """The problem whose theory belongs to one run. theory.md section 16.

    Its target is the teacher's own eigenvalues, alpha = n/d^2 and kappa = p/d exactly; ``lam``
    replaces the penalty where it is given.
    """
    return problem.with_(
        target=Atoms(teacher.eigenvalues),
        estimator=at_width(problem.estimator, Fraction(p, teacher.d), lam),
        alpha=Fraction(n, teacher.d**2),
    )


def paired_at(case: Case) -> Problem:
    """The problem whose theory belongs to a case, at the eigenvalues of its own teacher."""
    problem, d = case.problem, case.d
    teacher = draw_teacher(problem.target, d, case.seed)
    return paired_problem(problem, teacher, problem.samples(d), width_of(problem.estimator, d))


def theory_of(problem: Problem) -> tuple[Observables | None, Observables | None]:
    """Values and error bars of the theory; None where it does not converge."""
    from solver.solve import solve  # not needed to train

    solution = solve(problem, raise_on_failure=False)
    if not solution.status.ok:
        return None, None
    return Observables(**solution.present()), solution.error
