"""A suite through a real Slurm of one node, and what happens when its tasks fail."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model import BadInput
from attlas.verify.executors import Slurm, SlurmFailure, executor

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "slurm-single-node.sh"
TINY = ["--suite", "quick", "--claim", "untied-factors", "--json"]


def absent() -> str:
    """Why Slurm cannot be started here; empty if it can."""
    for program in ("munged", "slurmctld", "slurmd"):
        if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None:
            return f"{program} is not installed: apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "slurmd needs root"


@pytest.fixture(scope="module")
def slurm() -> Iterator[None]:
    reason = absent()
    if reason:
        pytest.skip(reason)
    pytest.importorskip("submitit", reason="submitit is not installed: pip install attlas[slurm]")
    folder = tempfile.mkdtemp(prefix="slurm")  # short: a socket's path has at most 108 characters
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")
        patch.chdir(ROOT)
        started = subprocess.run(
            [SCRIPT, "start", folder], check=False, capture_output=True, text=True
        )
        assert started.returncode == 0, started.stderr
        patch.setenv("SLURM_CONF", started.stdout.strip().removeprefix("SLURM_CONF="))
        try:
            yield
        finally:
            subprocess.run([SCRIPT, "stop", folder], check=True)
            shutil.rmtree(folder)


def double(number: int) -> int:
    if number < 0:
        raise ValueError("below zero")
    if number == 99:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


@pytest.mark.slow
@pytest.mark.usefixtures("slurm")
def test_a_suite_through_slurm(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    run = ["verify", *TINY, "--store", str(tmp_path)]
    assert main([*run, "--executor", "slurm", "--slurm", "tasks=2,memory=1"]) == 0
    through = json.loads(capsys.readouterr().out)
    assert through["stats"]["rows_made"] == 9
    assert len(list((tmp_path / "slurm").glob("*_result.pkl"))) == 2
    assert main([*run, "--processes", "1"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert here["stats"]["rows_made"] == 0
    assert here["result"]["claims"] == through["result"]["claims"]


@pytest.mark.slow
@pytest.mark.usefixtures("slurm")
def test_results_come_back(tmp_path: Path):
    assert sorted(Slurm(tmp_path, tasks=2, memory=1).map(double, [1, 2, 3])) == [2, 4, 6]


@pytest.mark.slow
@pytest.mark.usefixtures("slurm")
@pytest.mark.parametrize("bad", [-1, 99])
def test_a_task_that_fails_or_is_killed_is_named_and_the_others_end(tmp_path: Path, bad):
    results = Slurm(tmp_path, tasks=2, memory=1).map(double, [bad, 2])
    assert next(results) == 4
    with pytest.raises(SlurmFailure, match=r"1 of 2 Slurm tasks failed.*log\.err"):
        next(results)


def test_options(tmp_path: Path):
    chosen = executor(
        "slurm",
        device="auto",
        processes=None,
        store=tmp_path,
        options="tasks=200,minutes=240,partition=cpu,gpus=1",
    )
    assert chosen == Slurm(tmp_path / "slurm", 200, "cpu", 240, gpus=1)
    for options, said in (("task=3", "did you mean tasks"), ("tasks=0", "1 or more")):
        with pytest.raises(BadInput, match=said):
            Slurm.of(tmp_path, options)
    with pytest.raises(BadInput, match="did you mean slurm"):
        executor("slrm", device="auto", processes=None, store=tmp_path)


def test_a_failure_exits_1(tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]):
    def fails(*_, **__):
        raise SlurmFailure("2 of 3 tasks failed; see the log")

    monkeypatch.setattr("attlas.verify.suite.run.run_suite", fails)
    assert main(["verify", "--executor", "slurm", "--store", str(tmp_path)]) == 1
    assert "2 of 3 tasks failed" in capsys.readouterr().err


def test_a_device_is_checked_before_anything_is_submitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    submit = ["--executor", "slurm", "--store", str(tmp_path), "--device", "tpu"]
    assert main(["verify", *submit]) == 2
    assert "--device = 'tpu'" in capsys.readouterr().err


def test_without_slurm_it_says_so(tmp_path: Path, monkeypatch):
    pytest.importorskip("submitit", reason="submitit is not installed: pip install attlas[slurm]")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="no srun on the path"):
        list(Slurm(tmp_path).map(double, [1]))
