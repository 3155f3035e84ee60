"""Suites that are killed, interrupted or run twice at a time lose at most the run in flight."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.verify.store.store import Store
from tests.judge import fake_work

ROOT = Path(__file__).parents[2]
ONE = ("--processes", "1")


class Suite:
    """The suite of stand-ins in a process of its own."""

    def __init__(self, folder: Path, name: str = "log", options: tuple[str, ...] = ()) -> None:
        self.store = folder / "store"
        self.log = folder / name
        arguments = [str(self.store), str(self.log), *options]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.harness.slow_suite", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def started(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def send(self, number: signal.Signals, after: int) -> None:
        """A signal in the midst of a run, once some were started."""
        wait_until(lambda: self.started() >= after or self.process.poll() is not None)
        assert self.started() >= after, self.process.communicate()
        time.sleep(0.03)
        os.killpg(self.process.pid, number)

    def wait(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def runs(store: Path) -> int:
    """Runs in a store, whose every row is read and checked."""
    return Store(store).table().column("source").to_pylist().count("simulation")


def test_kill_9_loses_at_most_the_run_in_flight(
    tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
):
    killed = Suite(tmp_path)
    killed.send(signal.SIGKILL, after=6)
    assert killed.wait()[0] == -signal.SIGKILL
    kept, started = runs(killed.store), killed.started()
    assert kept >= 5
    assert started - kept <= 1

    fake_work.use(monkeypatch)
    assert main(["verify", "--store", str(killed.store), "--resume", "--json", *ONE]) == 0
    out, err = capsys.readouterr()
    stats = json.loads(out)["stats"]
    assert (stats["rows_reused"], stats["rows_made"]) == (kept, 18 - kept)
    assert err == ""  # quiet in a pipe
    assert runs(killed.store) == 18


def test_ctrl_c_says_how_to_resume(tmp_path: Path):
    interrupted = Suite(tmp_path, options=("--seed", "3"))
    interrupted.send(signal.SIGINT, after=3)
    code, out, err = interrupted.wait()
    assert code == 130
    assert out == ""
    command = shlex.split(re.search(r"so does: (.*)", err)[1])  # type: ignore[index]
    expected = ["--suite", "quick", "--seed", "3", "--store", str(interrupted.store)]
    assert command == ["attlas", "verify", *expected, "--processes", "1", "--resume"]
    assert interrupted.started() - runs(interrupted.store) <= 1
    assert runs(interrupted.store) >= 2


def test_two_processes_share_a_store_and_the_work(tmp_path: Path):
    first = Suite(tmp_path, "first")
    wait_until(lambda: first.started() >= 6)
    second = Suite(tmp_path, "second")
    assert [first.wait()[0], second.wait()[0]] == [0, 0]
    assert runs(first.store) == 18
    # What the first had stored by then the second does not make again.
    assert second.started() <= 18 - 5


def test_workers_end_with_a_killed_parent(tmp_path: Path):
    parent = subprocess.Popen([sys.executable, "-m", "tests.harness.orphans", tmp_path], cwd=ROOT)

    def workers() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir()]

    wait_until(lambda: len(workers()) == 2)
    parent.send_signal(signal.SIGKILL)
    parent.wait(timeout=30)
    wait_until(lambda: not any(alive(pid) for pid in workers()))


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and nobody asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(reached: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something, and fail if it does not come about."""
    for _ in range(int(20 * seconds)):
        if reached():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come about")
