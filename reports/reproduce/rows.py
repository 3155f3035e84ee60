"""Rows of theory and of trained heads, in one form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from model import Problem, parameters_of
from reports.reproduce.picture import Report
from solver.solve import solve
from verify.simulation.result import Simulation
from verify.simulation.simulate import simulate

#: Accuracy that no picture shows the lack of.
RTOL = 1e-3

Row = dict[str, Any]


def theory_rows(
    curve: str, problems: Iterable[Problem], report: Report, *, rtol: float = RTOL
) -> list[Row]:
    """Solve some problems; one that does not reach its accuracy is left out, and said to be."""
    rows = []
    for problem in problems:
        solution = solve(problem, rtol=rtol, raise_on_failure=False)
        where = f"{curve}, alpha = {float(problem.alpha):.4g}"
        if not solution.status.ok:
            report(f"theory, {where}: left out. {solution.status.value}")
            continue
        report(f"theory, {where}")
        rows.append(
            _head("theory", curve, problem)
            | solution.present()
            | {"error": solution.error.present()}
        )
    return rows


def head_rows(
    curve: str, problems: Iterable[Problem], d: int, seeds: int, report: Report, **options: Any
) -> list[Row]:
    """Train heads at some problems; the mean is over the runs that have their certificate."""
    rows = []
    for problem in problems:
        found = simulate(problem, d=d, seeds=seeds, paired=False, raise_on_failure=False, **options)
        where = f"{curve}, alpha = {float(problem.alpha):.4g}, d = {d}"
        row = head_row(curve, problem, found)
        if row is None:
            report(f"heads, {where}: left out. {found.status.value}")
            continue
        report(f"heads, {where}: {row['certified']} of {seeds} runs certified")
        rows.append(row)
    return rows


def head_row(curve: str, problem: Problem, found: Simulation) -> Row | None:
    """Mean and standard error over certified runs; None where there is no such run."""
    kept = [run for run in found.runs if run.converged]
    if not kept:
        return None
    row = _head("heads", curve, problem)
    row |= {"d": kept[0].d, "runs": len(found.runs), "certified": len(kept)}
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
