"""report.json is what its published schema says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from attlas.model.json_text import json_text
from attlas.reports.document import document
from attlas.verify.suite.result import SuiteResult
from tests.json_schema import REPORT, check, faults


@pytest.fixture(scope="module")
def content(result: SuiteResult) -> dict[str, Any]:
    return json.loads(json_text(document(result)))


def test_report_follows_its_schema(content: dict[str, Any]):
    check(content, REPORT.name)


@pytest.mark.parametrize("key", ["exit_code", "claims", "level"])
def test_the_schema_notices_what_is_missing(content: dict[str, Any], key: str):
    left = {name: value for name, value in content.items() if name != key}
    assert faults(left, REPORT.name) == [f"$: {key!r} is a required property"]


def test_the_schema_notices_what_it_does_not_know(content: dict[str, Any]):
    (fault,) = faults({**content, "verdict": "fine"}, REPORT.name)
    assert "'verdict' was unexpected" in fault
