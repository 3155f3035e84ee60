"""Run a suite: margins first, then the missing runs, then the judgement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed, parallel_config

from model import Problem
from solver.solution import Observables, Solution
from verify.case import SIMULATION, Case
from verify.claims import Claim, Control, Margin, Point, claim, commit_margins
from verify.device import resolve_device
from verify.environment import machine, package_versions
from verify.judgement import LEVEL, ControlVerdict, Question, Sample, judge, judge_control
from verify.result import ClaimResult, Curve, PointResult, SuiteResult
from verify.store import Row, Store, StoreError
from verify.suites import Suite, suite
from verify.work import Job, do, limit

#: Reports (stage, done, total) of a suite: "theory", "runs".
Report = Callable[[str, int, int], None]

#: Theory curves reach this factor beyond the outermost points of a family.
CURVE_REACH = 2.5


def run_suite(
    name: str,
    *,
    store: str | Path,
    claims: Iterable[str] | None = None,
    device: str = "auto",
    algorithm: str = "adam",
    seed: int = 0,
    resume: bool = True,
    processes: int | None = None,
    progress: Report | None = None,
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
    claims : iterable of str, optional
        Ids of the claims to run; all of the suite by default.
    device : {"auto", "cpu", "cuda"}
    algorithm : str
    seed : int
        Another seed gives other teachers and data throughout.
    resume : bool
        Whether rows already in the store are used instead of being made again.
    processes : int, optional
        Worker processes, each with one thread; by default the processors on a CPU, one on a GPU.
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    BadInput
        For an unknown suite, claim or device.
    StoreError
        If the store holds a corrupted file; the message names it.
    """
    clock = _Clock()
    chosen = suite(name)
    selected = _selected(chosen, claims)
    kind = resolve_device(device).type
    workers = _Workers(processes or (1 if kind == "cuda" else os.cpu_count() or 1), progress)
    cases = {one.id: _cases(one, name, algorithm, seed) for one in selected}

    theory = workers.solve(_theory_problems(selected, name))
    margins = {one.id: commit_margins(one, one.points_of(name), theory.get) for one in selected}
    clock.lap("theory")

    folder = Store(store)
    jobs = _jobs(selected, cases, name, folder, resume)
    for rows in workers.run(jobs, kind):
        for row in rows:
            folder.put(row)
    clock.lap("runs")

    drafts = [_draft(one, name, cases[one.id], margins[one.id], theory, folder) for one in selected]
    judged = _judged(drafts)
    clock.lap("judgement")
    made = sum(job.run for job in jobs)
    return SuiteResult(
        suite=name,
        purpose=chosen.purpose,
        seed=seed,
        algorithm=algorithm,
        device=kind,
        claims=judged,
        rows_made=made,
        rows_reused=len({case for group in cases.values() for case in group}) - made,
        level=LEVEL,
        started=clock.started,
        seconds=clock.seconds,
        machine=machine(),
        packages=package_versions(),
        store=str(store),
    )


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
class _Workers:
    """Processes with one thread each: at small d they use the processors best."""

    processes: int
    progress: Report | None

    def solve(self, problems: Sequence[Problem]) -> dict[Problem, Solution | None]:
        found = self._map("theory", [delayed(_indexed_limit)(i, p) for i, p in enumerate(problems)])
        return {problems[index]: solution for index, solution in found}

    def run(self, jobs: Sequence[Job], device: str) -> Iterator[list[Row]]:
        yield from self._map("runs", [delayed(do)(job, device) for job in jobs])

    def _map(self, stage: str, calls: list[Any]) -> Iterator[Any]:
        total = len(calls)
        self._report(stage, 0, total)
        if not calls:
            return
        if self.processes == 1:
            results: Iterable[Any] = (call(*args, **kwargs) for call, args, kwargs in calls)
            yield from self._counted(stage, total, results)
            return
        with parallel_config("loky", n_jobs=self.processes, inner_max_num_threads=1):
            pool = Parallel(return_as="generator_unordered")
            yield from self._counted(stage, total, pool(calls))  # type: ignore[arg-type]

    def _counted(self, stage: str, total: int, results: Iterable[Any]) -> Iterator[Any]:
        for done, result in enumerate(results, start=1):
            yield result
            self._report(stage, done, total)

    def _report(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, total)


def _indexed_limit(index: int, problem: Problem) -> tuple[int, Solution | None]:
    return index, limit(problem)


def _selected(chosen: Suite, ids: Iterable[str] | None) -> tuple[Claim, ...]:
    if ids is None:
        return chosen.claims()
    return tuple(claim(id_) for id_ in ids)


def _cases(one: Claim, name: str, algorithm: str, seed: int) -> dict[Case, str]:
    """The cases of a claim and the point that each belongs to."""
    return {
        Case(
            point.problem,
            d=d,
            seed=number,
            algorithm=algorithm,
            tokens_law=point.tokens_law,
            source=one.id if one.experiment else SIMULATION,
        ): point.key
        for point in one.points_of(name)
        for d, seeds in _seeds(one, name, seed).items()
        for number in seeds
    }


def _seeds(one: Claim, name: str, seed: int) -> dict[int, tuple[int, ...]]:
    """Seeds at each size. They differ between sizes, whose runs are then independent."""
    runs = one.designs[name].runs
    return {d: tuple(1_000_000 * seed + 1_000 * d + i for i in range(k)) for d, k in runs.items()}


def _theory_problems(selected: Sequence[Claim], name: str) -> list[Problem]:
    problems: dict[Problem, None] = {}
    for one in selected:
        for point in one.points_of(name):
            problems[point.problem] = None
            for control in one.controls:
                if control.is_problem:
                    problems[control.wrong(point.problem)] = None
        for family, points in _families(one, name):
            for alpha in _alphas(one, points):
                problems[family.with_(alpha=alpha)] = None
    return list(problems)


def _families(one: Claim, name: str) -> list[tuple[Problem, list[Point]]]:
    """The points of a claim grouped by everything but alpha."""
    families: dict[Problem, list[Point]] = {}
    for point in one.points_of(name):
        families.setdefault(point.problem.with_(alpha=1), []).append(point)
    return list(families.items())


def _alphas(one: Claim, points: Sequence[Point]) -> list[Fraction]:
    """Where a family's curve is drawn: the claim's grid about the points, and the points."""
    own = [point.problem.alpha for point in points]
    grid = [Fraction(alpha) for alpha in one.curve_alphas]
    near = [a for a in grid if min(own) / CURVE_REACH <= float(a) <= max(own) * CURVE_REACH]
    return sorted({*near, *own})


def _jobs(
    selected: Sequence[Claim],
    cases: dict[str, dict[Case, str]],
    name: str,
    folder: Store,
    resume: bool,
) -> list[Job]:
    """What is missing, most expensive first."""
    jobs: dict[Case, Job] = {}
    for one in selected:
        for case in cases[one.id]:
            controls = [
                control
                for control in _controls_at(one, name, case)
                if not (resume and folder.has(replace(case, source=control.id)))
            ]
            earlier = jobs.get(case)
            known = earlier.controls if earlier else ()
            jobs[case] = Job(
                case=case,
                run=not (resume and folder.has(case)),
                controls=(*known, *(control for control in controls if control not in known)),
                experiment=one.experiment,
            )
    wanted = [job for job in jobs.values() if job.run or job.controls]
    return sorted(wanted, key=lambda job: -job.cost)


def _controls_at(one: Claim, name: str, case: Case) -> tuple[Control, ...]:
    """The controls that are paired with a run: those of the first seeds at each size."""
    first = case.seed % 1_000 < one.designs[name].control_seeds
    return one.controls if first else ()


@dataclass(frozen=True)
class _Draft:
    """A claim with its runs, before the judgement, which needs all claims at once."""

    claim: Claim
    suite: str
    points: tuple[PointResult, ...]
    curves: tuple[Curve, ...]
    control_rows: dict[str, dict[str, tuple[tuple[Row, Row], ...]]]

    def questions(self) -> list[Question]:
        """One for each quantity at each point."""
        return [
            self._question(result, quantity.key, tuple(_sample(row, row) for row in result.rows))
            for result in self.points
            for quantity in self.claim.quantities
        ]

    def control(self, id_: str) -> ControlVerdict:
        """The judgement of a wrong theory on the same runs."""
        questions = [
            self._question(
                result,
                quantity.key,
                tuple(
                    _sample(run, wrong) for run, wrong in self.control_rows[id_][result.point.key]
                ),
                departs=False,
            )
            for result in self.points
            for quantity in self.claim.quantities
        ]
        return judge_control(self.claim.id, id_, questions)

    def _question(
        self,
        result: PointResult,
        quantity: str,
        samples: tuple[Sample, ...],
        departs: bool = True,
    ) -> Question:
        margin = next(m.value for m in result.margins if m.quantity == quantity)
        departure = self.claim.departure(result.point.key, quantity) if departs else None
        return Question(
            claim=self.claim.id,
            point=result.point.key,
            quantity=quantity,
            low=departure.low if departure else -margin,
            high=departure.high if departure else margin,
            samples=samples,
            departure=departure.reason if departure else "",
        )


def _sample(run: Row, theory: Row) -> Sample:
    return Sample(
        d=run.case.d,
        seed=run.case.seed,
        measured=run.measured,
        theory=theory.theory,
        theory_error=theory.theory_error,
        converged=run.converged,
    )


def _draft(
    one: Claim,
    name: str,
    cases: dict[Case, str],
    margins: tuple[Margin, ...],
    theory: dict[Problem, Solution | None],
    folder: Store,
) -> _Draft:
    rows = {case: _stored(folder, case) for case in cases}
    points = one.points_of(name)

    def at(point: Point) -> list[Case]:
        return [case for case, key in cases.items() if key == point.key]

    return _Draft(
        claim=one,
        suite=name,
        points=tuple(
            PointResult(
                point=point,
                **_values(theory[point.problem]),
                margins=tuple(margin for margin in margins if margin.point == point.key),
                rows=tuple(rows[case] for case in at(point)),
            )
            for point in points
        ),
        curves=tuple(_curve(one, family, group, theory) for family, group in _families(one, name)),
        control_rows={
            control.id: {
                point.key: tuple(
                    (rows[case], _stored(folder, replace(case, source=control.id)))
                    for case in at(point)
                    if _controls_at(one, name, case)
                )
                for point in points
            }
            for control in one.controls
        },
    )


def _stored(folder: Store, case: Case) -> Row:
    row = folder.get(case)
    if row is None:
        raise StoreError(f"{folder.file_of(case)} was removed while the suite ran")
    return row


def _values(solution: Solution | None) -> dict[str, Observables]:
    if solution is None:
        return {"theory": Observables(), "theory_error": Observables()}
    return {"theory": Observables(**solution.present()), "theory_error": solution.error}


def _curve(
    one: Claim,
    family: Problem,
    points: Sequence[Point],
    theory: dict[Problem, Solution | None],
) -> Curve:
    alphas = _alphas(one, points)
    values = [_values(theory[family.with_(alpha=alpha)]) for alpha in alphas]
    return Curve(
        points=tuple(point.key for point in points),
        alphas=tuple(float(alpha) for alpha in alphas),
        values=tuple(value["theory"] for value in values),
        errors=tuple(value["theory_error"] for value in values),
    )


def _judged(drafts: Sequence[_Draft]) -> tuple[ClaimResult, ...]:
    """All claims judged as one family."""
    questions = [draft.questions() for draft in drafts]
    verdicts = iter(judge([question for group in questions for question in group]))
    return tuple(
        ClaimResult(
            claim=draft.claim,
            design=draft.claim.designs[draft.suite],
            points=draft.points,
            verdicts=tuple(next(verdicts) for _ in group),
            controls=tuple(draft.control(control.id) for control in draft.claim.controls),
            curves=draft.curves,
        )
        for draft, group in zip(drafts, questions, strict=True)
    )
