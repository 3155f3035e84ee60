"""``attlas solve``, from the flags to the document."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from attlas.cli.main import main
from attlas.cli.usage import as_flags
from attlas.model import Problem, problem_from
from attlas.solver import solve
from attlas.solver.solution import OBSERVABLE_KEYS, Observables, Solution
from attlas.solver.status import Status

LINEAR = ["--alpha", "0.2", "--lam", "0.05", "--kappa0", "1/2", "--noise", "0.1", "--tokens", "1"]


def document(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    assert main(arguments) == code
    out, _ = capsys.readouterr()

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(out, parse_constant=refuse)


def test_envelope(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "solve", *LINEAR, "--json")
    assert list(found)[:6] == ["schema", "problem", "result", "error", "status", "stats"]
    assert set(found) <= {"schema", "problem", "result", "error", "status", "stats", "branches"}
    assert found["schema"] == "attlas/solve/1"
    assert found["problem"]["kappa0"] == "0.5"
    assert found["problem"]["tokens"] == 1
    assert set(found["result"]) <= set(OBSERVABLE_KEYS)
    assert {"q", "m", "sigma", "loss", "test_error", "mse"} <= set(found["result"])
    assert set(found["error"]) == set(found["result"])
    assert all(bar >= 0 for bar in found["error"].values())
    assert found["status"]["name"] == "converged"
    assert found["status"]["ok"] is True
    assert found["stats"]["seconds"] > 0
    same = problem_from(alpha="0.2", lam="0.05", kappa0="0.5", noise="0.1", tokens=1)
    assert problem_from(**found["problem"]) == same


def test_branches_have_the_same_form(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No problem is known to have two solutions (docs/phase.md): two answers are put together."""
    problem = problem_from(alpha="0.2", lam="0.05", kappa0="0.5", noise="0.1", tokens=1)
    first, second = solve(problem), solve(problem.with_(alpha=Fraction(1, 2)))
    both = replace(first, branches=(first, second))
    monkeypatch.setattr("attlas.solver.solve", lambda *_, **__: both)
    found = document(capsys, "solve", *LINEAR, "--json")
    assert [list(branch) for branch in found["branches"]] == 2 * [
        ["result", "error", "status", "stats"]
    ]
    for branch, solution in zip(found["branches"], (first, second), strict=True):
        assert branch["result"]["q"] == solution.q
        assert branch["error"]["q"] == solution.error.q
    parts = {key: found[key] for key in ("result", "error", "status", "stats")}
    assert found["branches"][0] == parts
    monkeypatch.undo()
    assert "branches" not in document(capsys, "solve", *LINEAR, "--json")


def test_table_is_plain_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *LINEAR]) == 0
    out, err = capsys.readouterr()
    header, *rows = out.splitlines()
    assert header.split() == ["quantity", "value", "error"]
    assert out.isascii()
    assert "\x1b" not in out
    assert [row for row in rows if row.endswith(":")] == [
        "overlaps:",
        "spectrum:",
        "errors:",
        "stability:",
    ]
    numbers = [row.split() for row in rows if not row.endswith(":")]
    table = {cells[0]: float(cells[1]) for cells in numbers}
    expected = document(capsys, "solve", *LINEAR, "--json")["result"]
    assert table == pytest.approx(expected, rel=1e-9)
    assert err.startswith("Converged")
    assert err.count("\n") == 1


def test_failure_exits_1_and_still_prints_the_document(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(problem: Problem, *, raise_on_failure: bool, max_steps: int) -> Solution:
        assert (raise_on_failure, max_steps) == (False, 7)
        return Solution(
            problem=problem,
            q=1.0,
            sigma=math.inf,
            error=Observables(q=math.nan, sigma=math.inf),
            status=Status.NOT_CONVERGED,
            advice="Residual 0.1.",
        )

    monkeypatch.setattr("attlas.solver.solve", failing)
    assert main(["solve", *LINEAR, "--max-steps", "7", "--json"]) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["status"] == {
        "name": "not_converged",
        "ok": False,
        "message": as_flags(f"{Status.NOT_CONVERGED.value} Residual 0.1."),
    }
    assert err == found["status"]["message"] + "\n"
    assert found["result"] == {"q": 1.0, "sigma": "inf"}
    assert found["error"] == {"q": "nan", "sigma": "inf"}


def test_a_narrow_student_is_refused_unless_it_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    narrow = ["solve", *LINEAR, "--kappa", "0.05"]
    assert main(narrow) == 2
    assert "--training width-limited" in capsys.readouterr().err
    short = document(capsys, *narrow, "--width-limited", "--json")
    long = document(capsys, *narrow, "--training", "width-limited", "--json")
    assert short["result"] == long["result"]
    assert short["result"]["rank_fraction"] == pytest.approx(0.05, abs=1e-9)
    assert main([*narrow, "--width-limited", "--training", "direct"]) == 2
    assert "--training = 'direct'" in capsys.readouterr().err
