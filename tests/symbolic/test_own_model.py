"""The page "derive your own model" does what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "derive-your-own-model.md"


@pytest.mark.slow
def test_the_page_runs_and_its_simulation_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out
    assert "ASSUMPTION" in printed
    assert "FAILED" not in printed
    assert printed.count("simulation") == len(names["theory"])
