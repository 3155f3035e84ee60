"""The page "derive your own model" does what it says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from attlas.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "derive-your-own-model.md"


def rows(text: str) -> dict[str, list[float]]:
    """The numbers behind each name of a printed table."""
    found = re.findall(r"^ *(\w+) +(-?\d[\d.e+-]*) +(\d[\d.e+-]*)(?: +(\d\S*))?.*$", text, re.M)
    return {key: [float(one) for one in numbers if one] for key, *numbers in found}


@pytest.fixture
def shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], str]:
    """What the page's commands of a verb print."""
    monkeypatch.chdir(DOCS / "example")
    text = PAGE.read_text(encoding="utf-8")

    def run(verb: str) -> str:
        for line in re.findall(rf"^attlas ({verb} .*)$", text, re.M):
            assert main([*shlex.split(line), *(["--workers", "1"] if verb == "sweep" else [])]) == 0
        return capsys.readouterr().out

    return run


def test_the_page_s_equations_and_closed_forms(shown: Callable[[str], str]) -> None:
    equations = shown("derive")
    assert "log(1 + exp(-2*Abs(h_11 - z_11)))" in equations
    assert "lam_tilde Tr S + d (lam_f/2) ||S||_F^2" in equations.replace("\n", " ")
    assert "two-scales-polynomial" in equations
    assert "Value: a = 0.329163679038432665718004882551" in equations
    digits = shown("threshold")
    assert "0.329163679038432665718004882551" in digits
    assert "proven" in digits


@pytest.mark.slow
def test_the_page_s_heads_agree_with_its_theory(shown: Callable[[str], str]) -> None:
    theory, heads = rows(shown("solve")), rows(shown("simulate"))
    assert all(error < 1e-5 for _, error in theory.values())
    for key in ("q", "m", "loss", "train_error", "test_error", "rank_fraction"):
        measured, error, paired = heads[key]
        assert abs(measured - paired) < 4 * error + 0.04 * paired, key
        assert paired == pytest.approx(theory[key][0], rel=0.15)
    table = shown("sweep").splitlines()
    assert [line.split()[0] for line in table[1:]] == ["0.3", "0.4"]
    assert float(table[2].split()[1]) == pytest.approx(theory["q"][0])


@pytest.mark.slow
def test_a_claim_about_it_is_on_a_page_with_its_equations(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("my_model.py", "my_claims.py"):
        shutil.copy(DOCS / "example" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall(r"^attlas (report .*)$", PAGE.read_text(encoding="utf-8"), re.M)
    assert main([*line.split(), "--processes", "1", "--json"]) == 0
    (claim,) = json.loads(capsys.readouterr().out)["result"]["claims"]
    assert (claim["id"], claim["outcome"]) == ("elastic-log-cosh", "agrees")
    assert [control["rejected"] for control in claim["controls"]] == [True]
    assert any(r"2 \lambda_F + \hat\Sigma" in one for one in claim["latex"])  # of the own penalty
    page = Path("out/report/index.html").read_text(encoding="utf-8")
    assert re.search("attlas report --plugin my_model.py [^<]*--claim-file my_claims.py", page)
    again = re.findall(r"attlas (solve --plugin my_model.py [^<\n]*)", page)
    assert main(again[0].split()) == 0
