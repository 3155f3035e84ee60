"""Seeds of one point trained together: Adam on all of them at once, on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import torch

from attlas.verify.experiments.training import training_of
from attlas.verify.machine.device import resolve_device
from attlas.verify.simulation.measure import measure
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.work import Job, Make, beside_theory
from attlas.verify.training import adam, factorised
from attlas.verify.training.gradient import by_factor
from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.losses.batch import BatchObjective
from attlas.verify.training.task import Training

#: Numbers in the tokens of a batch; with single precision and its copies a few GB.
LARGEST = 2**27

#: On the relative gradient, as for a seed on its own.
TOLERANCE = 1e-7


def batches(jobs: Sequence[Job]) -> list[tuple[Job, ...]]:
    """Jobs that can be trained together: runs of one problem at one size, by Adam on a factor.

    Others stay alone. Batches are in the order of their first jobs.
    """
    groups: dict[object, list[list[Job]]] = {}
    for number, job in enumerate(jobs):
        case = job.case
        together = job.run and not job.experiment and case.algorithm == "adam"
        together = together and by_factor(case.problem.estimator)
        key = (case.problem, case.d, case.centring) if together else number
        parts = groups.setdefault(key, [[]])
        size = case.problem.channel.tokens * case.problem.samples(case.d) * case.d
        if parts[-1] and (len(parts[-1]) + 1) * size > LARGEST:
            parts.append([])
        parts[-1].append(job)
    return [tuple(part) for parts in groups.values() for part in parts]


@dataclass(frozen=True)
class MakeBatch:
    """Does batches of jobs and stores their rows: `Make` for a GPU."""

    alone: Make

    def __call__(self, jobs: tuple[Job, ...]) -> tuple[Job, ...]:
        if len(jobs) == 1:
            return (self.alone(jobs[0]),)
        store = Store(self.alone.store)
        for row in train(jobs, self.alone.device):
            store.put(row)
        return jobs


def train(jobs: Sequence[Job], device: str) -> Iterator[Row]:
    """The rows of a batch: data drawn once for both stages, Adam for all seeds, the rest by seed.

    Parameters
    ----------
    jobs : sequence of Job
        One of :func:`batches`.
    device : str

    Yields
    ------
    Row
        As those that :func:`attlas.verify.suite.work.do` makes of each job, to the accuracy of the
        certificate.
    """
    clock = perf_counter()
    where = resolve_device(device)
    drawn = [training_of(job.case, tolerance=TOLERANCE, device=where) for job in jobs]
    descended = _descend([training for _, training in drawn])
    shared = (perf_counter() - clock) / len(jobs)
    for job, (teacher, training), w in zip(jobs, drawn, descended, strict=True):
        clock, case = perf_counter(), job.case
        trained = factorised.train(replace(training, descended=w))
        seen = measure(
            case.problem,
            teacher,
            training.data,
            trained,
            seed=case.seed,
            centring=case.centring,
        )
        run = Row(
            case=case,
            measured=seen.observables.present(),
            certificate=trained.certificate.gradient,
            converged=trained.certificate.converged and trained.certificate.minimal,
            data_hash=training.data.digest,
            device=where.type,
            arithmetic=f"{trained.precision}, {len(jobs)} seeds together",
            seconds=shared + perf_counter() - clock,
        )
        yield from beside_theory(job, run)


def _descend(trainings: Sequence[Training]) -> torch.Tensor:
    """Adam in float32 from the usual start of each seed, shape (B, d, p)."""
    first = trainings[0]
    starts = [initial_factor(one.initialisation, one.d, one.p, one.seed) for one in trainings]
    objective = BatchObjective.of([one.objective(torch.float32) for one in trainings])
    start = torch.from_numpy(np.stack(starts)).to(first.device)
    return adam.descend(objective, start, steps=first.adam_steps)
