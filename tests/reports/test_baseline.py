"""Baselines: what moved is flagged, what only rounds or scatters is not."""

from __future__ import annotations

import json
import math
import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from attlas.cli.main import main
from attlas.model.errors import BadInput
from attlas.reports import write_report
from attlas.reports.baseline import accept, baseline_of, baseline_path, read_baseline
from attlas.reports.drift import drift
from attlas.verify.claims import CLAIMS
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.run import run_suite
from tests.json_schema import REPORT, check
from tests.judge import fake_work

POINT = "softmax, little data"


def suite(folder: Path, seed: int = 0, bias: float = 0.0) -> SuiteResult:
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_work.use(monkeypatch, bias)
        return run_suite("quick", store=folder, device="cpu", processes=1, seed=seed)


@pytest.fixture(autouse=True)
def the_suite_has_one_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_work.use(monkeypatch)


@pytest.fixture
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing the page takes longest, and other tests look at it."""
    monkeypatch.setattr("attlas.reports.write.page", lambda *_: "")


@pytest.fixture
def old(result: SuiteResult) -> dict[str, Any]:
    return deepcopy(baseline_of(result) | {"accepted": [{"on": "2026-01-01", "reason": "first"}]})


def point(baseline: dict[str, Any]) -> dict[str, Any]:
    return baseline["claims"]["learning-curve"]["points"][POINT]


def test_a_suite_does_not_drift_from_itself(old: dict[str, Any], result: SuiteResult) -> None:
    found = drift(old, result)
    assert found.exit_code == 0
    assert found.same_data
    assert len(found.theory) == 2 * 5
    assert len(found.simulation) == 2 * 3 * 5
    assert not any(entry.moved for entry in found.by_quantity)
    assert all(timing.ratio == 1 for timing in found.timings)
    assert found.reasons == ("2026-01-01: first",)


@pytest.mark.parametrize(("errors", "flagged"), [(1.9, False), (2.1, True)])
def test_theory_may_move_by_the_sum_of_its_errors(
    old: dict[str, Any], result: SuiteResult, errors: float, flagged: bool
) -> None:
    value, error = map(float, point(old)["theory"]["q"])
    point(old)["theory"]["q"][0] = repr(value + errors * error)
    found = drift(old, result)
    assert [change.quantity for change in found.flagged_theory] == (["q"] if flagged else [])
    assert found.exit_code == int(flagged)
    assert [entry.quantity for entry in found.by_quantity if entry.moved] == ["q"]


def test_theory_that_became_nan_is_flagged(old: dict[str, Any], result: SuiteResult) -> None:
    point(old)["theory"]["q"][0] = "nan"
    assert [change.quantity for change in drift(old, result).flagged_theory] == ["q"]


@pytest.mark.parametrize(("part", "flagged"), [(0.05, False), (0.2, True)])
def test_runs_on_the_same_data_may_only_round(
    old: dict[str, Any], result: SuiteResult, part: float, flagged: bool
) -> None:
    measured = point(old)["runs"]["24"]["measured"]["loss"]
    measured[0] = repr(float(measured[0]) + part * float(measured[1]))
    found = drift(old, result)
    assert [(c.quantity, c.d) for c in found.flagged_simulation] == [("loss", 24)] * flagged


def test_other_data_scatter_and_are_not_flagged(old: dict[str, Any], tmp_path: Path) -> None:
    found = drift(old, suite(tmp_path, seed=1))
    assert not found.same_data
    assert len(found.simulation) == 2 * 3 * 5
    assert any(entry.moved for entry in found.by_quantity)
    assert not found.flagged_simulation
    assert not found.flagged_theory


def test_a_bias_on_other_data_is_flagged(old: dict[str, Any], tmp_path: Path) -> None:
    found = drift(old, suite(tmp_path, seed=1, bias=0.3))
    assert found.flagged_simulation
    assert found.exit_code == 1
    assert {change.new for change in found.worse} == {"disagrees"}


def test_lost_parts_are_said(old: dict[str, Any], result: SuiteResult) -> None:
    claim = old["claims"]["learning-curve"]
    claim["points"]["gone"] = deepcopy(point(old))
    claim["controls"]["gone"] = True
    old["claims"]["gone"] = {**claim, "points": {}, "controls": {"other": True}}
    point(old)["parameters"]["lam"] = "0.02"
    lost = {change.where: (change.old, change.new) for change in drift(old, result).worse}
    assert lost["learning-curve, control gone"] == ("rejected", "absent")
    assert lost["gone, control other"] == ("rejected", "absent")
    assert lost[f"learning-curve, {POINT}"] == ("one problem", "another problem")
    assert "learning-curve, gone, loss" in lost


def test_a_claim_that_was_not_selected_is_not_lost(
    old: dict[str, Any], result: SuiteResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = CLAIMS["learning-curve"]
    monkeypatch.setitem(CLAIMS, "other", replace(one, id="other"))
    old["claims"]["other"] = deepcopy(old["claims"]["learning-curve"])
    assert drift(old, result).exit_code == 0


def test_verdicts_gained_are_no_loss(old: dict[str, Any], result: SuiteResult) -> None:
    verdicts = point(old)["verdicts"]
    key = next(key for key, outcome in verdicts.items() if outcome == "agrees")
    verdicts[key] = "disagrees"
    found = drift(old, result)
    assert [(c.old, c.new, c.worse) for c in found.verdicts] == [("disagrees", "agrees", False)]
    assert found.exit_code == 0


def test_accepting_keeps_earlier_reasons(result: SuiteResult, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    accept(result, "first", path)
    accept(result, "second | reason", path)
    content = read_baseline("quick", str(path))
    assert [entry["reason"] for entry in content["accepted"]] == ["second | reason", "first"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["own.json"]
    assert drift(content, result).exit_code == 0


def test_numbers_are_decimal_strings_that_give_back_the_double(result: SuiteResult) -> None:
    again = json.loads(json.dumps(baseline_of(result), allow_nan=False))
    assert float(point(again)["theory"]["q"][0]) == result.claims[0].points[0].theory.q


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no baseline"),
        ("{", "cannot be read"),
        ('{"schema": "other/1"}', "must be of attlas.baseline/1"),
        ('{"schema": "attlas.baseline/1", "suite": "full"}', "is of the suite full"),
        ('{"schema": "attlas.baseline/1"}', "damaged at suite"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_bad_baselines_are_refused(tmp_path: Path, content: str | None, said: str) -> None:
    path = tmp_path / "b.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(BadInput, match=said):
        read_baseline("quick", str(path))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("claims", []),
        ("claims/CLAIM", None),
        ("claims/CLAIM/controls", {"control": "yes"}),
        ("claims/CLAIM/seconds", 1.5),
        ("claims/CLAIM/points", None),
        ("claims/CLAIM/points/POINT", None),
        ("claims/CLAIM/points/POINT/theory/q", ["x", "0"]),
        ("claims/CLAIM/points/POINT/verdicts", None),
        ("claims/CLAIM/points/POINT/runs", "24"),
        ("accepted", [1]),
        ("seconds", None),
    ],
)
def test_a_damaged_baseline_is_refused_before_the_suite_is_run(
    result: SuiteResult, tmp_path: Path, where: str, value: object
) -> None:
    path = tmp_path / "quick.json"
    accept(result, "first", path)
    content = json.loads(path.read_text())
    claim, one = next(iter(content["claims"].items()))
    names = {"CLAIM": claim, "POINT": next(iter(one["points"]))}
    *parents, last = [names.get(part, part) for part in where.split("/")]
    part = content
    for name in parents:
        part = part[name]
    part[last] = value
    path.write_text(json.dumps(content))
    damaged = re.escape(f"{path} is damaged at {'/'.join([*parents, last])}")
    with pytest.raises(BadInput, match=damaged):
        read_baseline("quick", str(path))


@pytest.mark.parametrize("name", sorted(path.stem for path in baseline_path("x").parent.iterdir()))
def test_committed_baselines_are_whole(name: str) -> None:
    content = read_baseline(name)
    assert content["accepted"][0]["reason"]
    points = [one for claim in content["claims"].values() for one in claim["points"].values()]
    numbers = [float(entry[0]) for one in points for entry in one["theory"].values()]
    assert numbers
    assert not any(math.isnan(number) for number in numbers)
    assert all(all(claim["controls"].values()) for claim in content["claims"].values())


def test_drift_is_in_every_file_of_the_report(
    old: dict[str, Any], result: SuiteResult, tmp_path: Path
) -> None:
    point(old)["theory"]["q"][0] = "1.25"
    point(old)["verdicts"]["lost"] = "agrees"
    found = drift(old, result)
    write_report(result, tmp_path, found)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert found.sentence in page
    assert page.index('id="drift"') < page.index('id="learning-curve"')
    assert found.sentence in (tmp_path / "summary.md").read_text("utf-8")
    cases = ElementTree.parse(tmp_path / "junit.xml").findall(".//testsuite[@name='baseline']/")
    assert [case.find("failure") is not None for case in cases] == [True, False, True]
    content = json.loads((tmp_path / "report.json").read_text("utf-8"))
    check(content, REPORT.name)
    assert content["drift"]["theory"][0]["old"] == 1.25


@pytest.mark.usefixtures("no_page")
def test_report_against_and_accept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = str(tmp_path / "own.json")
    common = ["report", "--device", "cpu", "--processes", "1", "--against", own]
    assert main(common) == 2
    assert "there is no baseline" in capsys.readouterr().err
    assert main([*common, "--accept", "the first"]) == 0
    assert main(common) == 0
    assert "Nothing has drifted" in capsys.readouterr().out
    content = json.loads(Path(own).read_text("utf-8"))
    point(content)["theory"]["q"][0] = "1.25"
    Path(own).write_text(json.dumps(content))
    assert main([*common, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["status"]["name"] == "drifted"
    assert told["result"]["drift"]["exit_code"] == 1
    assert main([*common, "--accept", "a better q"]) == 0
    assert main(common) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--accept", " "], "must say why"),
        (["--accept", "x", "--claim", "learning-curve"], "needs the whole suite"),
    ],
)
def test_what_cannot_be_accepted(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_page")
def test_a_failed_suite_is_not_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fake_work.use(monkeypatch, bias=0.3)
    own = tmp_path / "own.json"
    command = ["report", "--device", "cpu", "--processes", "1", "--against", str(own)]
    assert main([*command, "--accept", "whatever"]) == 1
    assert "Not accepted" in capsys.readouterr().err
    assert not own.exists()
