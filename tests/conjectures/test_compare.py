"""Runs made without attlas: docs/howto/compare.md, run; and what is refused."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import csv, parquet

from attlas.cli.main import main
from attlas.model import BadInput
from attlas.verify.suite.tables import TableRow, columns_of, rows_of

PAGE = Path(__file__).parents[2] / "docs/howto/compare.md"
TEXT = PAGE.read_text(encoding="utf-8")
FLAGS = ["--lam", "4", "--tokens", "1", "--training", "direct", "--target", "atoms:1/0"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the page's script has written its runs."""
    made = tmp_path_factory.mktemp("runs")
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.S)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        exec(compile(code, str(PAGE), "exec"), {})
    return made


def test_runs_of_a_script_agree_and_the_page_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (line,) = re.findall(r"^attlas (compare .*)$", TEXT, re.M)
    assert main([*line.split(), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["schema"] == "attlas/compare/1"
    assert printed["status"]["ok"]
    (claim,) = printed["result"]["claims"]
    assert {v["quantity"]: v["outcome"] for v in claim["verdicts"]} == {
        "m": "agrees",
        "loss": "agrees",
    }
    assert all(control["rejected"] for control in claim["controls"])
    page = (folder / "out/mine/index.html").read_text(encoding="utf-8")
    assert "attlas compare runs.csv" in page


def test_a_mean_taken_for_a_sum_disagrees(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(["compare", "runs.csv", *FLAGS, "--map", "mean_loss=loss", "--json"]) == 1
    (claim,) = json.loads(capsys.readouterr().out)["result"]["claims"]
    (loss,) = (v for v in claim["verdicts"] if v["quantity"] == "loss")
    assert loss["outcome"] == "disagrees"
    assert loss["deviation"] == pytest.approx(-2 / 3, abs=0.02)


def test_one_seed_is_not_determined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("alpha,d,seed,m\n3,12,0,0.3\n")
    assert main(["compare", "one.csv", *FLAGS]) == 1
    assert "not determined" in capsys.readouterr().out


COLUMNS = {
    "alpha": [0.3, 0.3, 0.25],
    "d": [12, 12, 16],
    "seed": [0, 1, 0],
    "target": ["atoms:1/0"] * 3,
    "converged": [True, False, True],
    "m": [0.5, 0.25, 0.1],
    "yours": [1.5, 3.0, 2.0],
}


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "columns", "rows", "pandas"])
def test_a_table_says_the_same_in_every_form(form: str, tmp_path: Path) -> None:
    arrow = pyarrow.table(COLUMNS)
    path = tmp_path / f"runs.{form}"
    csv.write_csv(arrow, tmp_path / "runs.csv")
    parquet.write_table(arrow, tmp_path / "runs.parquet")
    given: dict[str, Any] = {"csv": path, "parquet": str(path), "arrow": arrow, "columns": COLUMNS}
    given["rows"] = iter(arrow.to_pylist())
    if form == "pandas":
        given["pandas"] = pytest.importorskip("pandas").DataFrame(COLUMNS)
    first, second, third = rows_of(
        columns_of(given[form]), {"loss": "yours*alpha/d/d"}, [], {"lam": "4"}
    )
    assert first.parameters == {"alpha": Fraction(3, 10), "lam": "4", "target": "atoms:1/0"}
    assert second == TableRow(
        2, first.parameters, 12, 1, {"loss": 0.00625, "m": 0.25}, converged=False
    )
    assert (third.d, third.seed, third.converged) == (16, 0, True)
    assert third.measured == {"loss": 0.25 / 128, "m": 0.1}
    with pytest.raises(BadInput, match=r"column yours = 'yours' is not valid: .*`ignore=yours`"):
        rows_of(columns_of(COLUMNS), {}, [], {"lam": "4"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is an empty file"),
        ("alpha,d,m\n", "holds no rows"),
        ("alpha,d,m\n3,12,high\n", "column m, row 1 = 'high'"),
        ("alpha,d,m\n3,12,nan\n", "column m, row 1"),
        ("alpha,d,m\n3,12,\n", "m is missing"),
        ("d,m\n12,0.3\n", "alpha is missing"),
        ("alpha,m\n3,0.3\n", "d is missing"),
        ("alpha,d\n3,12\n", "needs a column of a result"),
        ("alpha,d,tst_error\n3,12,1\n", "did you mean test_error"),
        ("alpha,d,seed,m\n3,12,0,1\n3,12,0,1\n", "stands in rows 1 and 2"),
    ],
)
def test_tables_that_cannot_be_judged_are_refused(
    text: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs.csv").write_text(text)
    assert main(["compare", "runs.csv", *FLAGS, "--out", "page"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not Path("page").exists()
