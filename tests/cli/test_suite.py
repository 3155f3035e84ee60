"""``attlas verify`` and ``attlas report``: what they refuse before anything is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attlas.cli.main import main


@pytest.mark.parametrize("verb", ["verify", "report"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--suite", "quik"], "did you mean quick"),
        (["--claim", "learning-curv"], "did you mean learning-curve"),
        (["--device", "tpu"], "--device = 'tpu' is not valid"),
        (["--seed", "x"], "--seed = 'x' is not valid"),
        (["--seed", "1e30"], "--seed = '1e30' is not valid"),
        (["--processes", "0"], "--processes = '0' is not valid"),
        (["--processes", "1e9"], "must be a whole number from 1 to 256"),
        (["--slurm", "tasks=2"], "--slurm = 'tasks=2' is not valid: is for --executor slurm only"),
        (["--store", ""], "--store = '' is not valid"),
    ],
)
def test_refusals_write_nothing(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    verb: str,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([verb, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", ["--store", "--out"])
def test_a_file_is_not_a_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, flag: str
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    for path in (taken, taken / "below"):
        assert main(["report", flag, str(path)]) == 2
        assert f"{flag} = '{path}' is not valid" in capsys.readouterr().err


def test_what_is_no_store_is_not_merged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target, nothing = str(tmp_path / "store"), str(tmp_path / "none")
    assert main(["verify", "--store", target, "--merge", nothing]) == 2
    assert f"--merge = {nothing!r} is not valid" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--list", "--merge", "x"],
        ["--list", "--index", "0"],
        ["--merge", "x", "--count", "2"],
        ["--index", "0", "--count", "2", "--time-budget", "1"],
        ["--index", "0", "--count", "2", "--executor", "slurm"],
        ["--index", "0", "--count", "2", "--slurm", "tasks=2"],
    ],
)
def test_what_does_not_go_together_is_refused(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--list"]) == 0
    table = capsys.readouterr().out
    assert main(["verify", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["result"]
    assert "quick" in listed["suites"]
    assert all(name in table for name in (*listed["suites"], *listed["claims"]))
    assert set(listed["suites"]["quick"]["claims"]) <= set(listed["claims"])
