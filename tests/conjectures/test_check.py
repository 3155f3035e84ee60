"""Conjectures against trained heads: docs/howto/check.md, run; and what is refused."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import attlas
from attlas.cli.main import main
from attlas.verify.claims.claim import Claim
from attlas.verify.suite.check import Check

PAGE = Path(__file__).parents[2] / "docs/howto/check.md"
PYTHON, CLAIMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
PROBLEM = attlas.Problem(
    alpha=3,
    target=attlas.Wishart("1/2"),
    channel=attlas.LinearChannel(),
    estimator=attlas.Direct(lam=4),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def found(store: Path) -> dict[str, Any]:
    """What the page's Python leaves, its runs kept for the other tests."""
    code = PYTHON.replace("seeds=10)", f"seeds=10, store={str(store)!r})")
    assert code.count("store=") == 2
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def test_a_right_conjecture_agrees_and_one_off_by_five_percent_does_not(
    found: dict[str, Any],
) -> None:
    right, wrong = found["right"], found["wrong"]
    assert (right.verdict, wrong.verdict) == ("agrees", "disagrees")
    low, high = right.interval
    assert -0.02 < low < 0 < high < 0.02
    assert abs(right.deviation) < right.established < 0.02
    # 1.05 times too large, so that runs lie below by 1 - 1/1.05; the same runs.
    assert wrong.deviation == pytest.approx((1 + right.deviation) / 1.05 - 1, abs=2e-3)
    assert [control.rejected for control in (*right.controls, *wrong.controls)] == [True, True]
    assert "agrees" in right.sentence
    assert "disagrees" in wrong.sentence


def test_the_page_s_formula_is_that_of_the_theory(found: dict[str, Any]) -> None:
    eigenvalues = (2.0, 1.0, 0.5, 0.0)
    problem = PROBLEM.with_(target=attlas.Atoms(eigenvalues))
    assert found["overlap"](problem) == pytest.approx(attlas.solve(problem).m, rel=1e-6)


def test_a_check_is_plain_data_a_table_and_a_picture(found: dict[str, Any], tmp_path: Path) -> None:
    check: Check = found["wrong"]
    plain = json.loads(json.dumps(check.to_dict()))
    (comparison,) = plain["comparisons"]
    assert comparison["deviation"] == check.deviation
    assert comparison["allowed"] == [-0.02, 0.02]
    assert comparison["seeds"] == [10, 10, 10]
    assert check.sentence in check._repr_html_()
    check.plot(tmp_path / "check.svg")
    assert "disagrees" in (tmp_path / "check.svg").read_text()


def test_a_file_of_claims_is_verified_and_reported(
    found: dict[str, Any],  # noqa: ARG001  # its runs are in the store
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    definitions = PYTHON.partition("\nright =")[0]
    (tmp_path / "conjecture.py").write_text(definitions)
    (tmp_path / "my_claims.py").write_text(CLAIMS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = ["--claim-file", "my_claims.py", "--store", str(store), "--processes", "1"]
    assert main(["report", *flags, "--out", "page", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    right, wrong = printed["result"]["claims"]
    assert (right["id"], right["outcome"]) == ("ridge-regression", "agrees")
    assert (wrong["id"], wrong["outcome"]) == ("five-percent-more", "disagrees")
    assert right["statement"].startswith("Trained directly on one token")
    assert right["latex"] == ["m = Q_0/(1+k)"]
    assert [control["rejected"] for control in right["controls"]] == [True]
    assert printed["stats"]["rows_made"] == 0
    page = (tmp_path / "page/index.html").read_text(encoding="utf-8")
    assert "Half the penalty" in page
    assert "--claim-file my_claims.py" in page
    only = ["--claim", "ridge-regression"]
    assert main(["verify", *flags, *only]) == 0
    assert "five-percent-more" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "must be the path of a Python file, such as my_claims.py"),
        ("x = 1\n", "states no claim"),
        ("x = 1\ny = z\n", "line 2: NameError"),
        ("def f(:\n", "line 1: "),
        (
            "from attlas.verify.claims.learning_curve import LEARNING_CURVE\n",
            "the claim learning-curve, which attlas has",
        ),
    ],
)
def test_files_that_hold_no_claims_are_refused(
    text: str | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("mine.py").write_text(text)
    assert main(["verify", "--claim-file", "mine.py"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("--claim-file = 'mine.py' is not valid")
    assert said in err
    assert err.count("\n") == 1
    assert not Path("out").exists()


def test_an_unknown_claim_beside_a_file_names_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import attlas\nP = attlas.Problem(alpha=1, target=attlas.Wishart(1), "
        "channel=attlas.LinearChannel(), estimator=attlas.Direct(lam=1))\n"
        "@attlas.claim(P)\ndef my_own(problem):\n    return 1.0\n"
    )
    assert main(["verify", "--claim-file", str(path), "--claim", "my-ow"]) == 2
    assert "did you mean my-own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("formula", "options", "said"),
    [
        (lambda _: 1 / 0, {}, "ZeroDivisionError"),
        (lambda _: "x", {}, "must give a number for q"),
        (lambda _: 1.0, {"key": ("q", "m")}, "must give a number for q"),
        ("q", {}, "a finite number or a function"),
        (math.nan, {}, "a finite number or a function"),
        (1.0, {"key": "qq"}, "did you mean q"),
        (1.0, {"d": 16}, "several dimensions"),
        (1.0, {"d": (4, 8, 16)}, "8 or more"),
        (1.0, {"seeds": 0}, "from 1 to 1000"),
        (1.0, {"margin": 1}, "below 1"),
        (1.0, {"wrong": 3}, "a mapping"),
    ],
)
def test_what_cannot_be_checked_is_refused(formula: Any, options: Any, said: str) -> None:
    with pytest.raises(attlas.BadInput, match=said):
        attlas.check(formula, PROBLEM, **options)


def test_the_error_of_a_formula_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def formula(problem):\n    x = 1\n    return x / 0\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(attlas.BadInput, match=r"mine\.py, line 3"):
        attlas.check(names["formula"], PROBLEM)


def test_a_claim_states_everything_itself() -> None:
    made = attlas.claim({"here": PROBLEM}, key=("q", "m"), d={16: 2, 24: 3}, margin="0.03")(
        attlas.solve
    )
    assert isinstance(made, Claim)
    assert [(q.key, q.cap) for q in made.quantities] == [("q", 0.03), ("m", 0.03)]
    assert made.designs["any"].runs == {16: 2, 24: 3}
    assert made.formula is not None
    found, right = made.formula(PROBLEM), attlas.solve(PROBLEM)
    assert (found.q, found.m) == (right.q, right.m)
    assert found.error.q == right.error.q  # the bars of a solution count
    (control,) = made.controls
    assert control.limit(PROBLEM, lambda _: None).q == pytest.approx(1.05 * right.q)  # type: ignore[union-attr]
