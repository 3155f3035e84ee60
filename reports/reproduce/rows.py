"""Rows of theory and of trained heads, in one form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from attlas.model import Problem, parameters_of
from attlas.reports.reproduce.work import Work
from attlas.solver.solve import solve
from attlas.verify.simulation.result import Run
from attlas.verify.simulation.simulate import simulate

#: Accuracy that no picture shows the lack of.
RTOL = 1e-3

Row = dict[str, Any]


def theory_rows(
    curve: str, problems: Iterable[Problem], work: Work, *, rtol: float = RTOL
) -> list[Row]:
    """Solve some problems; one that does not reach its accuracy is left out, and said to be."""
    rows = []
    for problem in problems:
        if not work.has(problem):
            continue
        solution = work.kept(solve)(problem, rtol=rtol, raise_on_failure=False)
        where = f"{curve}, alpha = {float(problem.alpha):.4g}"
        if not solution.status.ok:
            work.report(f"theory, {where}: left out. {solution.status.value}")
            continue
        work.report(f"theory, {where}")
        rows.append(
            _head("theory", curve, problem)
            | solution.present()
            | {"error": solution.error.present()}
        )
    return rows


def head_rows(curve: str, problems: Iterable[Problem], d: int, seeds: int, work: Work) -> list[Row]:
    """Train heads at some problems; the mean is over the runs that have their certificate."""
    rows = []
    for problem in problems:
        where = f"{curve}, alpha = {float(problem.alpha):.4g}"
        row = head_row(curve, problem, heads(problem, d, seeds, work, where), seeds)
        rows += [] if row is None else [row]
    return rows


def heads(
    problem: Problem, d: int, seeds: int, work: Work, where: str, algorithm: str = "adam"
) -> list[Run]:
    """Trained heads at seeds 0, 1, ..., those that have their certificate; says how many."""
    kept: list[Run] = []
    advice = ""
    for seed in range(seeds):
        if not work.has(problem, d, seed, algorithm):
            continue
        (run,) = work.kept(_trained)(problem, d, seed, algorithm)
        if run.converged:
            kept.append(run)
        advice = advice or run.certificate.advice
        work.murmur(f"heads, {where}, d = {d}: seed {seed} trained")
    if kept:
        work.report(f"heads, {where}, d = {d}: {len(kept)} of {seeds} runs certified")
    else:
        work.report(f"heads, {where}, d = {d}: left out. {advice}")
    return kept


def _trained(problem: Problem, d: int, seed: int, algorithm: str) -> tuple[Run, ...]:
    return simulate(
        problem, d=d, seeds=[seed], algorithm=algorithm, paired=False, raise_on_failure=False
    ).runs


def head_row(curve: str, problem: Problem, kept: Sequence[Run], seeds: int) -> Row | None:
    """Mean and standard error over the certified ones of some runs; None where there is none."""
    if not kept:
        return None
    row = _head("heads", curve, problem)
    row |= {"d": kept[0].d, "runs": seeds, "certified": len(kept)}
    errors: dict[str, float] = {}
    for key in kept[0].observables.present():
        values = np.array([getattr(run.observables, key) for run in kept], dtype=float)
        row[key] = float(values.mean())
        if len(kept) > 1:
            errors[key] = float(values.std(ddof=1) / np.sqrt(len(kept)))
    return row | {"error": errors}


def _head(source: str, curve: str, problem: Problem) -> Row:
    return {
        "source": source,
        "curve": curve,
        "alpha": float(problem.alpha),
        "problem": dict(parameters_of(problem)),
    }
