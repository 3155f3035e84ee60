"""Run a suite: margins first, then the missing runs, then the judgement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from attlas.model import Problem
from attlas.solver.journal import share_of
from attlas.solver.solution import Solution
from attlas.verify.claims import Claim, commit_margins
from attlas.verify.executors import Executor, Local
from attlas.verify.judgement import LEVEL
from attlas.verify.machine.device import accelerator, known_device, resolve_device
from attlas.verify.machine.environment import machine, package_versions
from attlas.verify.simulation.pairing import limit
from attlas.verify.store.case import Case
from attlas.verify.store.store import Store
from attlas.verify.suite.allocation import within_budget
from attlas.verify.suite.drafts import Draft, Theory, judged
from attlas.verify.suite.pace import Pace, SuiteEvent, SuiteProgress
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.schedule import Schedule
from attlas.verify.suite.work import Job, Make, do


def run_suite(
    name: str,
    *,
    store: str | Path,
    claims: Iterable[str | Claim] | None = None,
    device: str = "auto",
    algorithm: str = "adam",
    seed: int = 0,
    resume: bool = True,
    processes: int | None = None,
    executor: Executor | None = None,
    time_budget: float | None = None,
    progress: SuiteProgress | None = None,
) -> SuiteResult:
    """Run the claims of a suite and judge them.

    Margins are computed from theory before the first run. Every row is stored as soon as it is
    made, so that an interrupted suite goes on where it stopped.

    Parameters
    ----------
    name : str
        ``"quick"``, ``"standard"`` or ``"full"``.
    store : path
        Folder of rows.
    claims : iterable of str or Claim, optional
        Ids of the claims to run, or claims of one's own; all of the suite by default.
    device : {"auto", "cpu", "cuda"}
    algorithm : str
    seed : int
        Another seed gives other teachers and data throughout.
    resume : bool
        Whether rows already in the store are used instead of being made again.
    processes : int, optional
        Worker processes, each with one thread; by default the processors on a CPU, one on a GPU.
    executor : Executor, optional
        Makes the runs; this machine by default. It resolves the device where it makes them.
    time_budget : float, optional
        Wall seconds for the runs. Seeds then go where they decide most
        (:mod:`attlas.verify.suite.allocation`), in place of the numbers of the design.
    progress : callable, optional
        Receives :class:`attlas.verify.suite.pace.SuiteEvent`.

    Raises
    ------
    BadInput
        For an unknown suite, claim or device.
    StoreError
        If the store holds a corrupted file; the message names it.
    """
    clock = _Clock()
    schedule = Schedule.of(name, claims, algorithm, seed)
    kind = known_device(device) if executor is not None else resolve_device(device).type
    here = Local.on(kind, processes)
    theory = _solve(schedule.theory_problems(), here, progress)
    margins = {
        one.id: commit_margins(one, schedule.points(one), theory.get) for one in schedule.claims
    }
    clock.lap("theory")

    folder = Store(store)
    runs = _Runs(Make(Path(store), kind, do, fresh=not resume), executor or here, progress)
    made = 0
    if time_budget is None:
        made = runs.run(schedule.jobs())
    else:
        width, began = runs.executor.width, perf_counter()

        def spent() -> float:
            return width * (perf_counter() - began)

        for bought in within_budget(schedule, margins, folder, width * time_budget, spent):
            made += runs.run(bought.jobs())
            schedule = bought
    clock.lap("runs")

    drafts = [Draft.of(one, schedule, margins[one.id], theory, folder) for one in schedule.claims]
    results = judged(drafts)
    clock.lap("judgement")
    return SuiteResult(
        suite=name,
        purpose=schedule.suite.purpose,
        seed=seed,
        algorithm=algorithm,
        device=kind,
        claims=results,
        rows_made=made,
        rows_reused=len(schedule.jobs()) - made,
        level=LEVEL,
        started=clock.started,
        seconds=clock.seconds,
        machine=machine() | accelerator(kind),
        packages=package_versions(),
        store=str(store),
    )


@dataclass(frozen=True)
class ShardResult:
    """One share of a suite's runs, made and not judged.

    Attributes
    ----------
    made, present : int
        Runs made now, and those that were in the store.
    missing : int
        Runs of the other shares that the store does not hold.
    """

    made: int
    present: int
    missing: int


def run_shard(
    name: str,
    index: int,
    count: int,
    *,
    store: str | Path,
    claims: Iterable[str | Claim] | None = None,
    device: str = "auto",
    algorithm: str = "adam",
    seed: int = 0,
    processes: int | None = None,
    progress: SuiteProgress | None = None,
) -> ShardResult:
    """Make one share of a suite's runs, for a scheduler of one's own.

    Shares are the same whatever the store holds, cost about the same, and may be made on machines
    that share nothing: merge their stores, and ``run_suite`` finds all runs made.

    Parameters
    ----------
    name : str
    index, count : int
        The share, ``0 <= index < count``.
    store, claims, device, algorithm, seed, processes, progress
        As of :func:`run_suite`.

    Raises
    ------
    BadInput
        For a share, suite, claim or device that there is not.
    """
    jobs = Schedule.of(name, claims, algorithm, seed).jobs()
    own = share_of(jobs, index, count)
    kind = resolve_device(device).type
    runs = _Runs(Make(Path(store), kind, do), Local.on(kind, processes), progress)
    made = runs.run(own)
    folder = Store(store)
    missing = sum(not folder.has(job.case) for job in jobs)
    return ShardResult(made=made, present=len(own) - made, missing=missing)


class _Clock:
    """Wall time by stage."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = now - self._last
        self._last = now


@dataclass(frozen=True)
class _Runs:
    """Makes what the store lacks."""

    make: Make
    executor: Executor
    progress: SuiteProgress | None
    made: set[Case] = field(default_factory=set)

    def run(self, jobs: Sequence[Job]) -> int:
        """Do the jobs that are not done; the number of runs made."""
        store = Store(self.make.store)
        new = [job for job in jobs if job.case not in self.made]
        left = [one for job in new if (one := job if self.make.fresh else job.missing(store))]
        self.made.update(job.case for job in new)
        pace = Pace(jobs, left, self.progress)
        return sum(job.run for job in pace.follow(self._ended(left)))

    def _ended(self, left: Sequence[Job]) -> Iterator[Job]:
        if self.make.device != "cuda":
            yield from self.executor.map(self.make, left)
            return
        from attlas.verify.suite.batch import MakeBatch, batches

        for batch in self.executor.map(MakeBatch(self.make), batches(left)):
            yield from batch


def _solve(problems: Sequence[Problem], here: Local, progress: SuiteProgress | None) -> Theory:
    """The limits of problems, all of them by the processes of this machine."""
    found: dict[Problem, Solution | None] = {}
    solve = _Indexed(limit)
    _report_theory(progress, 0, len(problems))
    for index, solution in here.map(solve, list(enumerate(problems))):
        found[problems[index]] = solution
        _report_theory(progress, len(found), len(problems))
    return found


@dataclass(frozen=True)
class _Indexed:
    call: Any

    def __call__(self, item: tuple[int, Problem]) -> tuple[int, Solution | None]:
        index, problem = item
        return index, self.call(problem)


def _report_theory(progress: SuiteProgress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(SuiteEvent("theory", "", done, total))
