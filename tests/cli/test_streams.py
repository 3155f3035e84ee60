"""Any terminal and any locale: nothing is lost, and no traceback is shown."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attlas.cli.display import print_table

#: A shell's background jobs ignore Ctrl-C, and so would a command that one of them starts.
INTERRUPTIBLE = """
import signal
from attlas.cli.main import run

signal.signal(signal.SIGINT, signal.default_int_handler)
run()
"""


def attlas_in(shell: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which ``attlas`` stands for the command."""
    line = shell.replace(
        "attlas", f"{sys.executable} -c 'from attlas.cli.main import run; run()'", 1
    )
    return subprocess.run(
        ["bash", "-c", line],
        env={"PATH": os.environ["PATH"], **environment},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_symbols_that_an_encoding_lacks_are_escaped_as_json_does() -> None:
    document = attlas_in("attlas explain lam_tilde --json", PYTHONIOENCODING="ascii")
    assert document.stdout.isascii()
    assert json.loads(document.stdout)["result"]["text"] == "λ̃"
    text = attlas_in("attlas explain lam_tilde", PYTHONIOENCODING="ascii")
    assert (text.returncode, text.stderr) == (0, "")
    assert "\\u03bb" in text.stdout


def test_a_closed_output_is_no_fault() -> None:
    assert attlas_in("attlas explain q >&-").returncode == 0
    refused = attlas_in("attlas explain nonsense 2>&-")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_reader_that_has_enough_is_no_fault() -> None:
    run = attlas_in("attlas derive bands | head -1; exit ${PIPESTATUS[0]}")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count("\n") == 1
    shown = attlas_in("attlas --help | head -1; exit ${PIPESTATUS[0]}")
    assert (shown.returncode, shown.stderr) == (0, "")


def test_a_full_disk_is_said_in_one_sentence() -> None:
    run = attlas_in("attlas explain q > /dev/full")
    assert run.returncode == 1
    assert run.stderr == "attlas: No space left on device.\n"


def test_no_home_no_locale_no_terminal() -> None:
    run = attlas_in("env -i attlas explain q")
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_numbers_are_never_cut(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number without its exponent is another number."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    numbers = ["1.234567891e-07", "-2.345678912e-11", "3.456789123e+02"]
    print_table(["alpha", "q", "m"], [numbers], title="T")
    out = capsys.readouterr().out
    assert all(number in out for number in numbers)


def test_sentences_are_wrapped_where_the_terminal_is_narrow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    print_table(["key", "value", "meaning"], [["q", "0.12345678", "one word " * 20]])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 60
    assert sum("word" in line for line in lines) > 3
    assert any("0.12345678" in line for line in lines)


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_sweep_that_is_ended_keeps_its_rows_and_leaves_no_process(
    sent: signal.Signals, code: int, tmp_path: Path
) -> None:
    problem = {"alpha": "0.05:1:5000", "lam": "0.01", "kappa0": "0.5", "tokens": "1"}
    rows = [word for name, value in problem.items() for word in (f"--{name}", value)]
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            INTERRUPTIBLE,
            "sweep",
            *rows,
            "--workers",
            "2",
            "--out",
            tmp_path / "s.parquet",
        ],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    partial = tmp_path / "s.parquet.partial"
    deadline = time.monotonic() + 60
    while not partial.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(sent)
    # Workers that went on would hold the pipe open.
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    if sent is signal.SIGINT:  # what is solved is shown
        assert out.startswith("alpha ")
        assert err.endswith("Interrupted.\n")
    else:
        assert (out, err) == ("", "")
    assert [path.name for path in tmp_path.iterdir()] == [partial.name]
