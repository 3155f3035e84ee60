"""A store of several versions shows each comparison through time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from attlas.reports.page.page import page
from attlas.reports.trends import trends
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work


def test_one_version_has_no_past(result: SuiteResult) -> None:
    assert trends(result) == ()
    assert trends(replace(result, store="")) == ()
    assert 'id="trends"' not in page(result)


def test_each_version_stands_beside_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, bias in ((1, 0.0), (2, 0.03)):
        for module in ("case", "rows"):
            monkeypatch.setattr(f"attlas.verify.store.{module}.FORMULA_VERSION", version)
        fake_work.use(monkeypatch, bias=bias)
        result = run_suite("quick", store=tmp_path, device="cpu", processes=1)
    found = trends(result)
    assert len(found) == len(result.verdicts)
    for trend in found:
        before, after = trend.through
        assert before.version.endswith("formulas 1")
        assert after.version.endswith("formulas 2")
        assert before.interval[0] < before.deviation < before.interval[1]
        assert after.deviation - before.deviation == pytest.approx(0.03, abs=0.01)
        assert before.runs == after.runs == 9
    judged = {(one.claim, one.point, one.quantity): one for one in result.verdicts}
    last = found[0]
    verdict = judged[last.claim, last.point, last.quantity]
    assert last.through[-1].deviation == pytest.approx(verdict.deviation, rel=1e-6)
    text = page(result)
    assert 'id="trends"' in text
    assert "formulas 1" in text
