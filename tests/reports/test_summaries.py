"""The JUnit file and the Markdown summary say what the verdicts say."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from attlas.reports.headline import agreement, precision, tally
from attlas.reports.junit import junit
from attlas.reports.markdown import markdown
from attlas.reports.page.page import page
from attlas.verify.judgement import Outcome, State
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work


@pytest.fixture
def passed(result: SuiteResult) -> SuiteResult:
    return result


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> SuiteResult:
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_work.use(monkeypatch, bias=0.3)
        store = tmp_path_factory.mktemp("failed")
        return run_suite("quick", store=store, device="cpu", processes=1)


def test_a_case_for_every_comparison_and_control(passed: SuiteResult) -> None:
    root = ElementTree.fromstring(junit(passed))
    cases = list(root.iter("testcase"))
    assert len(cases) == len(passed.verdicts) + len(passed.controls) == int(root.get("tests", 0))
    assert root.get("failures") == "0"
    open_ = sum(verdict.outcome is Outcome.UNDECIDED for verdict in passed.verdicts)
    assert root.get("skipped") == str(open_)
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(names) == len(set(names))


def test_disagreements_are_failures(failed: SuiteResult) -> None:
    root = ElementTree.fromstring(junit(failed))
    assert root.get("failures") == str(len(failed.unexpected)) != "0"
    message = next(root.iter("failure")).get("message", "")
    assert message.startswith("disagrees: off by +")


def test_precision_is_said_of_every_comparison(passed: SuiteResult) -> None:
    said = [case.findtext("system-out", "") for case in _cases(junit(passed)) if len(case)]
    agreed = [text for text in said if text.startswith("agrees to within ")]
    count = sum(v.state in (State.AGREES, State.WIDER) for v in passed.verdicts)
    assert len(agreed) == count > 0
    one = next(v for v in passed.verdicts if v.state is State.AGREES)
    wide = replace(one, outcome=Outcome.UNDECIDED, margin=0.034, low=-0.02, high=0.02)
    wide = replace(wide, interval=(-0.01, 0.015), deviation=0.0025)
    assert precision(wide) == "agrees to within 3.40\u00a0% (2.00\u00a0% wanted)"
    tense = precision(replace(wide, interval=(0.001, 0.015)))
    assert tense.startswith("in tension: off by +0.25\u00a0%")
    assert tally([wide, one]) == "1 agrees, 1 agrees to a wider margin than wanted"


def _cases(text: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter("testcase"))


def test_an_accepted_control_is_a_failure(passed: SuiteResult) -> None:
    (claim,) = passed.claims
    controls = tuple(replace(control, rejected=False) for control in claim.controls)
    wrong = replace(passed, claims=(replace(claim, controls=controls),))
    root = ElementTree.fromstring(junit(wrong))
    assert root.get("failures") == str(len(controls))
    text = markdown(wrong)
    assert text.startswith("## ❌")
    assert all(f"the control {control.control} is not rejected" in text for control in controls)


def test_markdown_says_what_failed(passed: SuiteResult, failed: SuiteResult) -> None:
    assert markdown(passed).startswith("## ✅")
    assert "What failed" not in markdown(passed)
    assert "It tests 1 of " in markdown(passed)
    text = markdown(failed)
    assert text.startswith("## ❌")
    lines = [line for line in text.splitlines() if line.startswith("- learning-curve")]
    assert len(lines) == len(failed.unexpected)


def test_markdown_tables_are_rectangular(failed: SuiteResult) -> None:
    rows = [line for line in markdown(failed).splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1


def test_one_sentence_says_how_well_they_agree(passed: SuiteResult) -> None:
    """Computed here from deviations that are written down by hand."""
    (claim,) = passed.claims
    numbers = [(0.001, 0.01), (-0.031, 0.01), (0.005, 0.01), (0.5, 0.01)]
    verdicts = tuple(
        replace(
            claim.verdicts[0],
            deviation=deviation,
            interval=(deviation - half, deviation + half),
            coefficients=(deviation, 0.0),
            expected=deviation == 0.5,
        )
        for deviation, half in numbers
    )
    controls = (claim.controls[0], replace(claim.controls[0], rejected=False))
    assert agreement(verdicts, controls).replace("\u00a0", " ") == (
        "4 comparisons with trained heads: typical deviation 0.5 %, 67 % of the 90 % intervals "
        "contain zero, largest deviation 3.1 %; 1 departure from it declared beforehand; "
        "1 of 2 wrong theories rejected."
    )
    assert agreement(()) == "0 comparisons with trained heads."
    text = agreement(passed.verdicts, passed.controls)
    assert text in markdown(passed)
    assert text in page(passed)
