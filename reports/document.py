"""A suite's result as one JSON document."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from attlas.model import parameters_of
from attlas.reports.commands import point_commands, suite_command
from attlas.reports.coverage import Coverage, coverage
from attlas.reports.drift import Drift
from attlas.reports.equations import equations_of
from attlas.verify.judgement import Verdict
from attlas.verify.suite.result import ClaimResult, PointResult, SuiteResult

#: Raised by hand when a key changes its meaning or disappears.
SCHEMA = "attlas.report/2"


def document(result: SuiteResult, drift: Drift | None = None) -> dict[str, Any]:
    """The result as plain values, for JSON.

    Parameters
    ----------
    result : SuiteResult
    drift : Drift, optional
        What has changed since a baseline; null where there is none.

    Notes
    -----
    Keys are described by ``report.schema.json`` beside this file.
    """
    return {
        "schema": SCHEMA,
        "suite": result.suite,
        "purpose": result.purpose,
        "command": suite_command(result),
        "seed": result.seed,
        "level": result.level,
        "algorithm": result.algorithm,
        "device": result.device,
        "started": result.started,
        "seconds": result.seconds,
        "rows_made": result.rows_made,
        "rows_reused": result.rows_reused,
        "machine": result.machine,
        "packages": result.packages,
        "exit_code": result.exit_code,
        "coverage": [_coverage(entry) for entry in coverage(result)],
        "drift": None if drift is None else _drift(drift),
        "claims": [_claim(claim, result) for claim in result.claims],
    }


def _claim(result: ClaimResult, suite: SuiteResult) -> dict[str, Any]:
    claim, rests_on = result.claim, equations_of(result.claim)
    return {
        "id": claim.id,
        "title": claim.title,
        "statement": claim.statement,
        "equation": claim.equation,
        "latex": list(rests_on.latex),
        "source": rests_on.source,
        "measurement": claim.measurement,
        "outcome": result.outcome.value,
        "points": [
            {**_point(point), "commands": point_commands(suite, claim, point)}
            for point in result.points
        ],
        "verdicts": [_verdict(verdict) for verdict in result.verdicts],
        "left_out": [
            {"quantities": quantities, "points": [point], "reason": reason}
            for reason, points in result.reasons.items()
            for point, quantities in points.items()
        ],
        "controls": [
            {
                "id": control.control,
                "statement": claim.control(control.control).statement,
                "rejected": control.rejected,
                "verdicts": [_verdict(verdict) for verdict in control.verdicts],
            }
            for control in result.controls
        ],
        "curves": [
            {
                "points": list(curve.points),
                "alpha": list(curve.alphas),
                "theory": [values.present() for values in curve.values],
                "theory_error": [errors.present() for errors in curve.errors],
            }
            for curve in result.curves
        ],
    }


def _point(result: PointResult) -> dict[str, Any]:
    return {
        "key": result.point.key,
        "parameters": parameters_of(result.point.problem),
        "theory": result.theory.present(),
        "theory_error": result.theory_error.present(),
        "margins": {
            margin.quantity: {
                "value": margin.value,
                "distances": margin.distances,
                "blind": list(margin.blind),
            }
            for margin in result.margins
        },
        "sizes": [_size(result, d, seeds) for d, seeds in result.seeds().items()],
    }


def _size(result: PointResult, d: int, seeds: tuple[int, ...]) -> dict[str, Any]:
    rows = [row for row in result.rows if row.case.d == d]
    good = [row for row in rows if row.converged]
    keys = sorted(set.intersection(*(set(row.measured) for row in good))) if good else []
    columns = {key: np.array([row.measured[key] for row in good]) for key in keys}
    return {
        "d": d,
        "n": result.point.problem.samples(d),
        "seeds": list(seeds),
        "not_converged": len(rows) - len(good),
        "mean": {key: float(column.mean()) for key, column in columns.items()},
        "standard_error": {
            key: float(column.std(ddof=1) / math.sqrt(len(column)))
            for key, column in columns.items()
            if len(column) > 1
        },
        "largest_certificate": max((row.certificate for row in rows), default=math.nan),
        "seconds": math.fsum(row.seconds for row in rows),
    }


def _coverage(entry: Coverage) -> dict[str, Any]:
    return {
        "section": entry.statement.section,
        "statement": entry.statement.text,
        "state": entry.state.value,
        "claims": [claim.claim.id for claim in entry.here],
    }


def _drift(drift: Drift) -> dict[str, Any]:
    """What was compared, and every number that moved beyond what is allowed."""
    return {
        "exit_code": drift.exit_code,
        "sentence": drift.sentence,
        "reasons": list(drift.reasons),
        "same_data": drift.same_data,
        "compared": {"theory": len(drift.theory), "simulation": len(drift.simulation)},
        "theory": [asdict(change) for change in drift.flagged_theory],
        "simulation": [asdict(change) for change in drift.flagged_simulation],
        "verdicts": [asdict(change) for change in drift.verdicts],
        "timings": [{**asdict(one), "ratio": one.ratio} for one in drift.timings],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict), "outcome": verdict.outcome.value, "state": verdict.state.value}
