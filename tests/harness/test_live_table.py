"""The table of a running suite: states, counts, time left; interruption and silence."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from attlas.cli.live_table import SuiteTable, live_table
from attlas.cli.suite import SuiteFlags
from attlas.verify.suite.pace import SuiteEvent
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work


def drawn(table: SuiteTable) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=100)
    console.print(table)
    return [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_states_counts_and_time_left():
    table = SuiteTable()
    for event in (
        SuiteEvent("theory", "", 5, 5),
        SuiteEvent("runs", "alpha", 3, 9, 125.0),
        SuiteEvent("runs", "beta", 0, 4),
        SuiteEvent("runs", "gamma", 6, 6, 0.0),
    ):
        table.show(event)
    lines = drawn(table)
    assert lines[1] == ["theory,", "all", "claims", "done", "5/5"]
    assert lines[2][:3] == ["alpha", "running", "3/9"]
    assert lines[2][3] in ("2:05", "2:04")
    assert lines[3] == ["beta", "waiting", "0/4"]
    assert lines[4] == ["gamma", "done", "6/6"]


def test_a_suite_fills_the_table(tmp_path, monkeypatch):
    fake_work.use(monkeypatch)
    table = SuiteTable()
    run_suite("quick", store=tmp_path, device="cpu", processes=1, progress=table.show)
    assert drawn(table)[2] == ["learning-curve", "done", "18/18"]


def test_nothing_is_drawn_in_a_pipe(capsys: pytest.CaptureFixture[str]):
    with live_table() as progress:
        assert progress is None
    assert capsys.readouterr().err == ""


def test_a_person_sees_the_table(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with live_table() as progress:
        assert progress is not None
        progress(SuiteEvent("runs", "learning-curve", 3, 9, 125.0))
    assert "learning-curve" in screen.getvalue()


def test_the_command_that_resumes_repeats_what_was_given():
    flags = SuiteFlags(suite="full", claim=["a", "b"], seed="2", executor="slurm", slurm="tasks=9")
    assert flags.command("verify", resume=True) == (
        "attlas verify --suite full --claim a --claim b --seed 2 --executor slurm "
        "--slurm tasks=9 --resume"
    )
