"""``attlas doctor``: what it says, and that it notices what is broken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.cli.version import foundations
from attlas.verify.machine import diagnosis
from attlas.verify.machine.diagnosis import Finding, Health, diagnose


def test_json_document_names_every_area(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "attlas/doctor/1"
    assert document["status"] == {
        "name": "healthy",
        "ok": True,
        "message": "Nothing needs repair.",
    }
    areas = {finding["area"] for finding in document["result"]["findings"]}
    assert {"python", "packages", "threads", "linear algebra", "torch", "slurm"} <= areas
    assert {"browser", "solve"} <= areas


def test_a_broken_installation_exits_1_and_says_what_to_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Finding("packages", "numpy", "1.0", Health.BAD, 'pip install "numpy>=2.0"')
    monkeypatch.setattr(diagnosis, "diagnose", lambda: (broken,))
    assert main(["doctor"]) == 1
    captured = capsys.readouterr()
    assert "numpy" in captured.out
    assert captured.err == 'numpy: pip install "numpy>=2.0".\n'


def test_a_wrong_solve_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "_REFERENCE", 0.0541)
    (found,) = [one for one in diagnose() if one.area == "solve"]
    assert found.health is Health.BAD


def test_a_command_that_does_not_answer_is_named() -> None:
    assert (
        diagnosis._said("no-such-command") == "no-such-command does not answer: FileNotFoundError"
    )


def test_an_absent_foundation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from attlas.cli import version

    monkeypatch.setattr(version, "FOUNDATIONS", ("numpy", "no-such-package"))
    assert foundations()["no-such-package"] == "absent"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_written_for_each_shell(shell: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from attlas.cli.main import run; run()", "--install-completion"],
        env={"HOME": str(tmp_path), "SHELL": f"/bin/{shell}", "PATH": "/usr/bin:/bin"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    written = "".join(p.read_text() for p in tmp_path.rglob("*") if p.is_file())
    assert "best-lambda" in written
