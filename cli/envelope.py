"""The one JSON document that every verb prints with ``--json``."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from model import Problem, parameters_of
from solver.solution import Solution


def envelope(
    verb: str,
    problem: Problem,
    *,
    result: Mapping[str, Any],
    error: Mapping[str, float | None],
    status: Enum,
    stats: Mapping[str, Any],
    advice: str = "",
    branches: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Assemble ``{schema, problem, result, error, status, stats}``, and branches if several.

    Parameters
    ----------
    verb : str
        Names the schema, ``attlas/VERB/1``.
    problem : Problem
        Written as its flat parameters, exact strings that every verb takes back.
    result, error : mapping
        Values and the error bars of the numeric ones.
    status : enum member with ``ok``
        Written as its ``name``, ``ok`` and the sentence ``message``.
    stats : mapping
        What it cost.
    advice : str
        Added to the message.
    branches : sequence of mapping
        The other solutions in the same form, lowest free energy first.
    """
    document: dict[str, Any] = {
        "schema": f"attlas/{verb}/1",
        "problem": parameters_of(problem),
        "result": dict(result),
        "error": dict(error),
        "status": status_of(status, advice),
        "stats": dict(stats),
    }
    if len(branches) > 1:
        document["branches"] = [dict(branch) for branch in branches]
    return document


def status_of(status: Enum, advice: str = "") -> dict[str, Any]:
    """An outcome as ``{name, ok, message}``; the message tells the user what to do."""
    return {
        "name": status.name.lower(),
        "ok": status.ok,  # pyright: ignore[reportAttributeAccessIssue]
        "message": f"{status.value} {advice}".rstrip(),
    }


def solution_envelope(verb: str, solution: Solution) -> dict[str, Any]:
    """The document of a solution, with its branches."""
    return envelope(
        verb,
        solution.problem,
        result=solution.present(),
        error=solution.error.present(),
        status=solution.status,
        advice=solution.advice,
        stats=_stats(solution),
        branches=[
            {
                "result": branch.present(),
                "error": branch.error.present(),
                "status": status_of(branch.status, branch.advice),
                "stats": _stats(branch),
            }
            for branch in solution.branches
        ],
    )


def _stats(solution: Solution) -> dict[str, Any]:
    return {
        **dataclasses.asdict(solution.stats),
        "start": solution.start,
        "residual": solution.residual,
    }


def json_text(document: Mapping[str, Any]) -> str:
    """Strict JSON: infinities and NaN, which it has no numbers for, are written as strings."""
    return json.dumps(_strict(document), indent=2, allow_nan=False, ensure_ascii=False)


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
