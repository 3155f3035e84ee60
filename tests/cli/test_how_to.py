"""Files that a how-to uses are made by what it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from attlas.cli.main import main

HOW_TO = Path(__file__).parents[2] / "docs" / "howto"
PAGE = HOW_TO / "spectrum.md"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (HOW_TO / page).read_text("utf-8"), re.S)


def test_the_table_of_a_sweep_is_read_and_drawn_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (shown,) = blocks("sweep.md", "sh")
    line = shown.replace("0.05:1:20:log", "0.3,0.6").split()
    assert line[:2] == ["attlas", "sweep"]
    assert main([*line[1:], "--workers", "1"]) == 0
    names: dict[str, object] = {}
    for block in blocks("sweep.md", "python"):
        exec(compile(block, "sweep.md", "exec"), names)
    drawn = Path("grid.svg").read_text("utf-8")
    assert "lam = 0.01" in drawn
    assert "lam = 0.1" in drawn
    assert "test error" in drawn


def test_a_teacher_of_ones_own_is_written_and_solved_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (made,) = blocks("solve.md", "python")
    exec(compile(made, "solve.md", "exec"), {})
    line = blocks("solve.md", "sh")[-1].split()
    assert "file:teacher.txt" in line
    assert main([*line[1:], "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    # The teacher is a draw of the Wishart law with kappa0 = 1/2.
    assert result["test_error"] == pytest.approx(0.0540881, rel=0.05)


def test_weights_that_the_how_to_makes_are_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAGE.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    made = re.findall(r"```python\n(.*?)```", text, re.S)
    assert made
    for block in made:
        exec(compile(block, PAGE.name, "exec"), {})
    lines = re.findall(r"^attlas (spectrum --weights .*)$", text, re.M)
    assert lines
    for line in lines:
        assert main(line.split()) == 0
        assert capsys.readouterr().out.count("in_proj") == 4
