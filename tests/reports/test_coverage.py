"""The coverage table: every claim and every untested statement is on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attlas.reports.coverage import STATEMENTS, State, Statement, coverage
from attlas.verify.claims import CLAIMS
from attlas.verify.suite.result import SuiteResult


def test_a_statement_is_tested_where_its_claim_is(
    result: SuiteResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    untested = Statement("0", "What no claim tests.")
    monkeypatch.setattr("attlas.reports.coverage.STATEMENTS", (*STATEMENTS, untested))
    states = {entry.statement.text: entry.state for entry in coverage(result)}
    assert states["Loss, errors and overlaps of a trained head."] is State.HERE
    assert states["Direct training of the map under a ridge."] is State.ELSEWHERE
    assert states[untested.text] is State.NOWHERE


def test_every_statement_of_the_theory_has_a_claim() -> None:
    assert [statement.text for statement in STATEMENTS if not statement.claims] == []


def test_every_registered_claim_is_on_the_table(result: SuiteResult) -> None:
    entries = coverage(result)
    assert set(CLAIMS) <= {id_ for entry in entries for id_ in entry.statement.claims}


def test_a_claim_that_no_statement_names_is_added(result: SuiteResult) -> None:
    (known,) = result.claims
    new = replace(known, claim=replace(known.claim, id="new", title="Something new"))
    entries = coverage(replace(result, claims=(new,)))
    assert [entry.statement.text for entry in entries if entry.here] == ["Something new."]
    assert len(entries) > len(STATEMENTS)
    assert next(entry.statement.section for entry in entries if entry.here) == "3"
