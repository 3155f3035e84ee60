"""The page "derive your own model" does what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from attlas.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "derive-your-own-model.md"


def rows(text: str) -> dict[str, list[float]]:
    """The numbers behind each name of a printed table."""
    found = re.findall(r"^ *(\w+) +(-?\d[\d.e+-]*) +(\d[\d.e+-]*)(?: +(\d\S*))?.*$", text, re.M)
    return {key: [float(one) for one in numbers if one] for key, *numbers in found}


def test_the_page_runs_and_its_heads_agree(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DOCS / "example")
    (block,) = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    shown = {}
    for line in block.splitlines():
        words = shlex.split(line)[1:]
        assert main([*words, *(["--workers", "1"] if words[0] == "sweep" else [])]) == 0
        shown[words[0]] = capsys.readouterr().out
    assert "log(1 + exp(-2*Abs(h_11 - z_11)))" in shown["derive"]
    assert "lam_tilde Tr S + d (lam_f/2) ||S||_F^2" in shown["derive"].replace("\n", " ")
    theory, heads = rows(shown["solve"]), rows(shown["simulate"])
    assert all(error < 1e-5 for _, error in theory.values())
    for key in ("q", "m", "loss", "train_error", "test_error", "rank_fraction"):
        measured, error, paired = heads[key]
        assert abs(measured - paired) < 4 * error + 0.04 * paired, key
        assert paired == pytest.approx(theory[key][0], rel=0.15)
    assert [line.split()[0] for line in shown["sweep"].splitlines()[1:]] == ["0.3", "0.4"]
    assert float(shown["sweep"].splitlines()[2].split()[1]) == pytest.approx(theory["q"][0])
