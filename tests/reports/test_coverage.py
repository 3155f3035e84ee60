"""The coverage table: every claim and every untested statement is on it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attlas.reports.coverage import UNTESTED, State, coverage
from attlas.verify.claims import CLAIMS, Statement
from attlas.verify.suite.result import SuiteResult


def test_a_statement_is_tested_where_its_claim_is(
    result: SuiteResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    untested = Statement("0", "What no claim tests.")
    monkeypatch.setattr("attlas.reports.coverage.UNTESTED", (*UNTESTED, untested))
    states = {entry.statement.text: entry.state for entry in coverage(result)}
    assert states["Loss, errors and overlaps of a trained head."] is State.HERE
    assert states["Direct training of the map under a ridge."] is State.ELSEWHERE
    assert states[untested.text] is State.NOWHERE


def test_statements_are_collected_from_claims_in_the_order_of_the_theory(
    result: SuiteResult,
) -> None:
    statements = [entry.statement for entry in coverage(result)]
    known = [*CLAIMS.values(), *(one.claim for one in result.claims)]
    collected = {claim.covers for claim in known}
    assert collected <= set(statements)
    assert len(statements) == len(set(statements))
    sections = [statement.section for statement in statements]
    assert sections.index("2") < sections.index("3, 6") < sections.index("13") < len(sections)
    assert {"13b", "14", "17", "18", "19", "20"} == set(sections[sections.index("13") + 1 :]) - {
        "13"
    }


def test_statements_that_no_claim_tests_name_none_that_one_does(result: SuiteResult) -> None:
    assert [entry.statement for entry in coverage(result) if entry.state is State.NOWHERE] == list(
        UNTESTED
    )


def test_a_claim_that_no_statement_names_is_added(result: SuiteResult) -> None:
    (known,) = result.claims
    new = replace(known, claim=replace(known.claim, id="new", title="Something new", covers=None))
    entries = coverage(replace(result, claims=(new,)))
    assert [entry.statement.text for entry in entries if entry.here] == ["Something new."]
    assert next(entry.statement.section for entry in entries if entry.here) == "3"
