"""What a worker process does: one run with its controls, or one solution of the theory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from model import Factorised, Problem
from solver import solve
from solver.solution import Solution
from verify.case import Case
from verify.claims import Control
from verify.simulate import paired_problem, simulate
from verify.store import Row
from verify.teacher import draw_teacher


@dataclass(frozen=True)
class Job:
    """A case, whether its run is still to be made, and the controls still to be paired with it."""

    case: Case
    run: bool
    controls: tuple[Control, ...]

    @property
    def cost(self) -> float:
        """Relative cost: a step of training takes n d^2 operations."""
        return self.case.problem.samples(self.case.d) * self.case.d**2 if self.run else 0.0


def do(job: Job, device: str) -> list[Row]:
    """The rows of a job: the run, then its controls."""
    rows = [_run(job.case, device)] if job.run else []
    return rows + [_control(job.case, control) for control in job.controls]


def limit(problem: Problem) -> Solution | None:
    """The solution of a problem, or None where there is none within its error bars.

    A wrong theory may fail in more ways than a right one: what its equations cannot do is then
    no solution either.
    """
    try:
        solution = solve(problem, raise_on_failure=False)
    except (ArithmeticError, ValueError):
        return None
    return solution if solution.status.ok else None


def _run(case: Case, device: str) -> Row:
    simulation = simulate(
        case.problem,
        d=case.d,
        seeds=[case.seed],
        algorithm=case.algorithm,
        centring=case.centring,
        tokens_law=case.tokens_law,
        device=device,
        raise_on_failure=False,
    )
    (run,) = simulation.runs
    return Row(
        case=case,
        measured=run.observables.present(),
        theory=run.theory.present() if run.theory else {},
        theory_error=run.theory_error.present() if run.theory_error else {},
        certificate=run.certificate.gradient,
        converged=run.converged and run.certificate.minimal,
        data_hash=run.data_hash,
        device=run.device,
        arithmetic=run.precision,
        seconds=run.seconds,
    )


def _control(case: Case, control: Control) -> Row:
    """The wrong theory at the run's own teacher."""
    problem, d = case.problem, case.d
    estimator = problem.estimator
    if not isinstance(estimator, Factorised):
        raise TypeError(f"no runs of {type(estimator).__name__} to pair with")
    paired = paired_problem(
        problem,
        draw_teacher(problem.target, d, case.seed),
        problem.samples(d),
        round(estimator.kappa * d),
        estimator.lam,
    )
    solution = limit(control.wrong(paired))
    return Row(
        case=replace(case, source=control.id),
        theory=solution.present() if solution else {},
        theory_error=solution.error.present() if solution else {},
    )
