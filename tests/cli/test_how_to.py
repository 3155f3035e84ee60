"""Files that a how-to uses are made by what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "spectrum.md"


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
