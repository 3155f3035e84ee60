"""Accepted values of a suite, which later reports are compared with."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import parameters_of
from attlas.model.errors import BadInput
from attlas.model.files import write_whole
from attlas.model.json_text import json_text
from attlas.reports.commands import seeds_text
from attlas.verify.claims import Claim
from attlas.verify.store.case import FORMULA_VERSION
from attlas.verify.store.rows import Row
from attlas.verify.suite.result import ClaimResult, PointResult, SuiteResult

#: Raised by hand when a key changes its meaning or disappears.
BASELINE_SCHEMA = "attlas.baseline/1"

#: The word that stands for the committed baseline of the suite.
COMMITTED = "baseline"

_FOLDER = Path(__file__).parent / "baselines"
_SCHEMA = Path(__file__).with_name("baseline.schema.json")


def baseline_path(suite: str, given: str = COMMITTED) -> Path:
    """Where the baseline of a suite is: a given file, or the committed one."""
    return _FOLDER / f"{suite}.json" if given == COMMITTED else Path(given)


def read_baseline(suite: str, given: str = COMMITTED) -> dict[str, Any]:
    """A suite's accepted values.

    Parameters
    ----------
    suite : str
    given : str
        A file, or ``"baseline"`` for the committed one.

    Raises
    ------
    BadInput
        If there is none, or it is of another suite or format.
    """
    path = baseline_path(suite, given)
    accept = f'attlas report --suite {suite} --accept "reason" makes one'
    if not path.is_file():
        raise BadInput("against", given, f"there is no baseline at {path}", accept)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("against", given, f"{path} cannot be read ({error})", accept) from None
    if not isinstance(content, dict) or content.get("schema") != BASELINE_SCHEMA:
        raise BadInput("against", given, f"{path} must be of {BASELINE_SCHEMA}", accept)
    if content.get("suite", suite) != suite:
        raise BadInput("against", given, f"{path} is of the suite {content['suite']}", accept)
    if (where := _damage(content)) is not None:
        raise BadInput("against", given, f"{path} is damaged at {where}", accept)
    return content


def _damage(content: Any) -> str | None:
    """Where a baseline is not what its schema says, as ``claims/collapse/points``."""
    from jsonschema import Draft202012Validator

    rules = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    for fault in Draft202012Validator(rules).iter_errors(content):
        where = [str(part) for part in fault.absolute_path]
        if fault.validator == "required":
            where.append(next(name for name in fault.validator_value if name not in fault.instance))
        return "/".join(where)
    return None


def accept(result: SuiteResult, reason: str, path: Path) -> None:
    """Make the values of a suite the accepted ones, whole or not at all.

    Parameters
    ----------
    result : SuiteResult
        All claims of its suite, none failed.
    reason : str
        Why; it is kept with those of earlier acceptances.
    path : Path
    """
    earlier = []
    if path.is_file():
        earlier = json.loads(path.read_text(encoding="utf-8")).get("accepted", [])
    entry = {
        "on": result.started[:10],
        "reason": reason,
        "attlas": result.packages.get("attlas", "absent"),
    }
    written = json_text(baseline_of(result) | {"accepted": [entry, *earlier]}, indent=1)
    write_whole(path, written + "\n")


def baseline_of(result: SuiteResult) -> dict[str, Any]:
    """The values of a suite that a baseline holds.

    Numbers are decimal strings that give back the same double. Theory is kept with its error
    bars, simulation as mean, standard error and number of runs at each dimension, with a digest
    of the data they were trained on.
    """
    return {
        "schema": BASELINE_SCHEMA,
        "suite": result.suite,
        "seed": result.seed,
        "formula_version": FORMULA_VERSION,
        "machine": result.machine,
        "packages": result.packages,
        "seconds": {stage: f"{seconds:.3g}" for stage, seconds in result.seconds.items()},
        "claims": {claim.claim.id: _claim(claim) for claim in result.claims},
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
    return {
        "outcome": result.outcome.value,
        "seconds": f"{math.fsum(row.seconds for p in result.points for row in p.rows):.4g}",
        "controls": {one.control: one.rejected for one in result.controls},
        "points": {one.point.key: _point(result, one) for one in result.points},
    }


def _point(claim: ClaimResult, result: PointResult) -> dict[str, Any]:
    errors = result.theory_error.present()
    return {
        "parameters": parameters_of(result.point.problem),
        "theory": {
            key: [text(value), text(errors.get(key, 0.0))]
            for key, value in result.theory.present().items()
        },
        "verdicts": {
            verdict.quantity: "departs as declared" if verdict.expected else verdict.outcome.value
            for verdict in claim.verdicts
            if verdict.point == result.point.key
        },
        "runs": {
            str(d): _size(claim.claim, [row for row in result.rows if row.case.d == d], seeds)
            for d, seeds in result.seeds().items()
        },
    }


def _size(claim: Claim, rows: list[Row], seeds: tuple[int, ...]) -> dict[str, Any]:
    good = [row for row in rows if row.converged]
    columns = {
        quantity.key: [row.measured[quantity.key] for row in good] for quantity in claim.quantities
    }
    return {
        "seeds": seeds_text(seeds),
        "converged": len(good),
        "data": _digest(good),
        "measured": {
            key: [text(float(np.mean(values))), text(_standard_error(values))]
            for key, values in columns.items()
            if values
        },
    }


def _standard_error(values: list[float]) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def _digest(rows: list[Row]) -> str:
    """Of the data of the converged runs: equal digests mean equal data, run by run."""
    joined = " ".join(f"{row.case.seed}:{row.data_hash}" for row in sorted(rows, key=_seed))
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def _seed(row: Row) -> int:
    return row.case.seed


def text(value: float) -> str:
    """The shortest decimal string that gives back the same double; "nan", "inf" as words."""
    return repr(float(value))


def pair(entry: list[str]) -> tuple[float, float]:
    """A value and its error, from their strings."""
    return float(entry[0]), float(entry[1])


def reasons(baseline: Mapping[str, Any]) -> list[str]:
    """Why values were accepted, the latest first."""
    return [f"{entry['on']}: {entry['reason']}" for entry in baseline.get("accepted", [])]
