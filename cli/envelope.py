"""The one JSON document that every verb prints with ``--json``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attlas.cli.usage import as_flags
from attlas.model import parameters_of
from attlas.model.json_text import json_text
from attlas.solver.solution import Solution

__all__ = ["document", "json_text", "message_of", "solution_document", "status_of"]


def document(
    verb: str,
    problem: Mapping[str, str | int] | None,
    *,
    result: Mapping[str, Any],
    error: Mapping[str, float | None],
    status: Mapping[str, Any],
    stats: Mapping[str, Any],
    branches: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Assemble ``{schema, problem, result, error, status, stats}``, and branches if several.

    Parameters
    ----------
    verb : str
        Names the schema, ``attlas/VERB/1``.
    problem : mapping or None
        Flat parameters, exact strings that every verb takes back; None for a verb that is not
        about one problem.
    result, error : mapping
        Values and the error bars of the numeric ones.
    status : mapping
        As :func:`status_of` gives it.
    stats : mapping
        What it cost.
    branches : sequence of mapping
        All solutions in the same form, lowest free energy first.
    """
    parts: dict[str, Any] = {
        "schema": f"attlas/{verb}/1",
        "problem": None if problem is None else dict(problem),
        "result": dict(result),
        "error": dict(error),
        "status": dict(status),
        "stats": dict(stats),
    }
    if len(branches) > 1:
        parts["branches"] = [dict(branch) for branch in branches]
    return parts


class Outcome(Protocol):
    """A status enum: its value is the sentence that tells the user what to do."""

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> Any: ...
    @property
    def ok(self) -> bool: ...


def message_of(status: Outcome, advice: str = "") -> str:
    """The sentence that tells the user what to do, parameters as flags."""
    return as_flags(f"{status.value} {advice}".rstrip())


def status_of(status: Outcome, advice: str = "") -> dict[str, Any]:
    """An outcome as ``{name, ok, message}``."""
    return {
        "name": status.name.lower(),
        "ok": status.ok,
        "message": message_of(status, advice),
    }


def solution_document(verb: str, solution: Solution) -> dict[str, Any]:
    """The document of a solution, with its branches."""
    return document(
        verb,
        parameters_of(solution.problem),
        **_parts(solution),
        branches=[_parts(branch) for branch in solution.branches],
    )


def _parts(solution: Solution) -> dict[str, Any]:
    return {
        "result": solution.present(),
        "error": solution.error.present(),
        "status": status_of(solution.status, solution.advice),
        "stats": {
            **dataclasses.asdict(solution.stats),
            "start": solution.start,
            "residual": solution.residual,
        },
    }
