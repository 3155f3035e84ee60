"""The theory beside one run: that of its own teacher's eigenvalues."""

from __future__ import annotations

from fractions import Fraction

from model import Atoms, Problem
from model.exact import Number
from solver.solution import Observables
from verify.student import at_width
from verify.teacher import Teacher


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


def theory_of(problem: Problem) -> tuple[Observables | None, Observables | None]:
    """Values and error bars of the theory; None where it does not converge."""
    from solver.solve import solve  # not needed to train

    solution = solve(problem, raise_on_failure=False)
    if not solution.status.ok:
        return None, None
    return Observables(**solution.present()), solution.error
