"""Each comparison through time: what the versions of attlas in one store have measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from scipy import stats

from attlas.verify.judgement import LEVEL, extrapolate
from attlas.verify.store.case import SIMULATION, Case, exact_parameters
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.questions import sample_of
from attlas.verify.suite.result import ClaimResult, PointResult, SuiteResult

#: Columns that tell versions apart.
_VERSION = ("version_attlas", "formula_version")


@dataclass(frozen=True)
class Then:
    """A comparison as one version has it.

    Attributes
    ----------
    version : str
    deviation : float
        At infinite dimension, by a line in 1/d.
    interval : (float, float)
    runs : int
    """

    version: str
    deviation: float
    interval: tuple[float, float]
    runs: int


@dataclass(frozen=True)
class Trend:
    """A comparison through time, the oldest version first."""

    claim: str
    point: str
    quantity: str
    through: tuple[Then, ...]


def trends(result: SuiteResult) -> tuple[Trend, ...]:
    """The comparisons of a suite that its store holds of several versions; none of a single one.

    A version is the package's with that of its formulas; they are in the order of their first
    runs. All runs of a comparison's problem in the store count, whichever suite made them.
    """
    table = Store(result.store).table() if result.store else pa.table({})
    if table.num_rows == 0 or len(table.select(_VERSION).group_by(_VERSION).aggregate([])) < 2:
        return ()
    groups: dict[tuple[str, str, str, str], dict[str, list[Mapping[str, Any]]]] = {}
    for row in table.sort_by("created").to_pylist():
        version = f"attlas {row['version_attlas']}, formulas {row['formula_version']}"
        key = (row["problem"], row["source"], row["algorithm"], row["tokens_law"])
        groups.setdefault(key, {}).setdefault(version, []).append(row)
    return tuple(
        trend
        for claim in result.claims
        for point in claim.points
        for trend in _of_point(claim, point, groups.get(_key(result, claim, point), {}))
    )


def _key(result: SuiteResult, claim: ClaimResult, point: PointResult) -> tuple[str, str, str, str]:
    problem = json.dumps(exact_parameters(point.point.problem), sort_keys=True)
    source = claim.claim.id if claim.claim.experiment else SIMULATION
    return problem, source, result.algorithm, point.point.problem.tokens.law.grammar()


def _of_point(
    claim: ClaimResult, point: PointResult, versions: Mapping[str, list[Mapping[str, Any]]]
) -> Iterator[Trend]:
    if len(versions) < 2:
        return
    for quantity in claim.claim.quantities:
        through = [_then(point, quantity.key, name, rows) for name, rows in versions.items()]
        found = tuple(one for one in through if one is not None)
        if len(found) > 1:
            yield Trend(claim.claim.id, point.point.key, quantity.key, found)


def _then(point: PointResult, key: str, version: str, rows: list[Mapping[str, Any]]) -> Then | None:
    samples = []
    for columns in rows:
        row = Row.of(Case(point.point.problem, d=columns["d"], seed=columns["seed"]), columns)
        if row.converged and row.theory.get(key) and row.measured.get(key) is not None:
            samples.append(sample_of(row, row))
    sizes = [sample.d for sample in samples]
    if not 1 < len(set(sizes)) < len(sizes):
        return None
    fit = extrapolate(sizes, [sample.deviation(key) for sample in samples], 1)
    half = float(stats.t.ppf(1 - LEVEL, fit.dof)) * fit.standard_error
    return Then(version, fit.intercept, (fit.intercept - half, fit.intercept + half), len(samples))
