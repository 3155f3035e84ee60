"""What a worker process does: one run with its controls, or one solution of the theory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from attlas.model import Problem
from attlas.verify.claims import Control
from attlas.verify.experiments.experiment import Experiment, experiment_at
from attlas.verify.simulation.pairing import finite, limit, paired_at
from attlas.verify.store.case import Case
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store


@dataclass(frozen=True)
class Job:
    """A case and what is to be made of it.

    Attributes
    ----------
    case : Case
    run : bool
        Whether the run itself is to be made.
    controls : tuple of Control
        The wrong theories to be paired with it.
    experiment : str
        That of its claim.
    claim : str
        The claim that it is made for, the first one where several share it.
    """

    case: Case
    run: bool
    controls: tuple[Control, ...]
    experiment: str = ""
    claim: str = ""

    @property
    def cost(self) -> float:
        """Relative cost: a step of training takes n d^2 operations."""
        if not self.run or (self.experiment and not experiment_at(self.experiment).trains):
            return 0.0
        return self.case.problem.samples(self.case.d) * self.case.d**2

    def missing(self, store: Store) -> Job | None:
        """What of the job the store does not hold yet; None if that is nothing."""
        controls = tuple(one for one in self.controls if not store.has(self.case.under(one.id)))
        run = not store.has(self.case)
        return replace(self, run=run, controls=controls) if run or controls else None


def do(job: Job, device: str) -> list[Row]:
    """The rows of a job: the run, then its controls."""
    if job.experiment:
        return _experiment_rows(job)
    return beside_theory(job, _run(job.case, device) if job.run else None)


@dataclass(frozen=True)
class Make:
    """Does jobs and stores their rows at once, in whatever process it is called.

    What was stored meanwhile, by another process on the same store, is not made again.

    Attributes
    ----------
    store : path
    device : str
    work : callable
        A job and a device to rows.
    fresh : bool
        Make rows again that are there.
    """

    store: Path
    device: str
    work: Callable[[Job, str], list[Row]] = do
    fresh: bool = False

    def __call__(self, job: Job) -> Job:
        store = Store(self.store)
        left = job if self.fresh else job.missing(store)
        for row in self.work(left, self.device) if left else ():
            store.put(row)
        return job


def _experiment_rows(job: Job) -> list[Row]:
    experiment = experiment_at(job.experiment)
    run = [_measured(job.case, experiment)] if job.run else []
    return run + [
        Row(case=job.case.under(one.id), theory=experiment.wrong(job.case, one))
        for one in job.controls
    ]


def _measured(case: Case, experiment: Experiment) -> Row:
    clock = perf_counter()
    made = experiment.measure(case)
    return Row(
        case=case,
        measured=made.measured,
        theory=made.reference,
        theory_error=made.reference_error,
        certificate=made.certificate,
        converged=made.converged,
        data_hash=made.data_hash,
        arithmetic="float64",
        seconds=perf_counter() - clock,
    )


def beside_theory(job: Job, run: Row | None) -> list[Row]:
    """A run completed by the theory at its own teacher, and that of the job's controls there."""
    paired = paired_at(job.case)
    rows = []
    if run is not None:
        theory, theory_error = _theory(paired)
        rows.append(replace(run, theory=theory, theory_error=theory_error))
    return rows + [_control(job.case, paired, control) for control in job.controls]


def _run(case: Case, device: str) -> Row:
    from attlas.verify.simulation.case_run import run_of

    run = run_of(case, device=device)
    return Row(
        case=case,
        measured=run.observables.present(),
        certificate=run.certificate.gradient,
        converged=run.converged and run.certificate.minimal,
        data_hash=run.data_hash,
        device=run.device,
        arithmetic=run.precision,
        seconds=run.seconds,
    )


def _control(case: Case, paired: Problem, control: Control) -> Row:
    """The wrong theory at the run's own teacher."""
    theory, theory_error = _theory(control.wrong(paired))
    return Row(case=case.under(control.id), theory=theory, theory_error=theory_error)


def _theory(problem: Problem) -> tuple[dict[str, float], dict[str, float]]:
    """Values and error bars; empty where there is no solution."""
    solution = limit(problem)
    return (finite(solution), finite(solution.error)) if solution else ({}, {})
