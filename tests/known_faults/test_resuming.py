"""Row 24, a journal trusted without a checksum; interrupted work goes on with nothing lost."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from attlas.cli.main import main
from attlas.model import problem_from
from attlas.model.errors import Notice
from attlas.solver.journal import Journal
from attlas.solver.solve import solve
from attlas.solver.sweep import row_read, sweep

PROBLEM = problem_from(alpha="0.2", lam="0.1", kappa0="0.5", tokens="1")
ALPHAS = ["0.1", "0.2", "0.3", "0.4"]


@pytest.fixture(scope="module")
def table() -> Any:
    return sweep(PROBLEM, workers=1, alpha=ALPHAS)


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    path = tmp_path / "kept"
    sweep(PROBLEM, kept=path, workers=1, alpha=ALPHAS)
    return path


def without_time(table: Any) -> Any:
    return table.drop_columns(["seconds"])


def checked(text: str) -> bytes:
    return b"\n%08x %s" % (zlib.crc32(text.encode()), text.encode())


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: re.sub(rb'("q": \d\.)(\d)', lambda m: m[1] + b"%d" % (9 - int(m[2])), lines),
        lambda lines: lines.replace(b'"q"', b'"\xff"'),
        lambda _: b"\n[]" * 4,
        lambda _: b"\nnull\n[[]]\n{}\n7",
        lambda _: b'\n{"key": "k", "row": {"q": 7.0}}' * 4,  # as before there were checksums
        lambda _: b"\n" + b"[" * 100_000,
        lambda _: bytes(range(256)) * 50,
    ],
    ids=["digit", "0xff", "lists", "other JSON", "no checksum", "deep", "noise"],
)
def test_row_24_damaged_lines_are_told_and_computed_again(damage, partial: Path, table) -> None:
    lines = partial.read_bytes()
    partial.write_bytes(damage(lines))
    assert partial.read_bytes() != lines
    with pytest.warns(Notice, match=r"\d+ of \d+ lines are cut short or damaged"):
        again = sweep(PROBLEM, kept=partial, workers=1, alpha=ALPHAS)
    assert without_time(again).equals(without_time(table))


@pytest.mark.parametrize(
    "change",
    [
        {"q": "abc"},
        {"q": [1.0]},
        {"status": 1},
        {"tokens": "1"},
        {"quality": 1.0},
        {"target": None},
    ],
)
def test_row_24_types_are_checked_besides(change: dict[str, Any], partial: Path, table) -> None:
    kept = Journal(partial).rows
    partial.unlink()
    for key, row in kept.items():
        with partial.open("ab") as file:
            file.write(checked(json.dumps([key, row | change])))
    with pytest.warns(Notice, match="4 of 4 lines"):
        again = sweep(PROBLEM, kept=partial, workers=1, alpha=ALPHAS)
    assert without_time(again).equals(without_time(table))


def test_row_24_the_command_tells_in_a_sentence(partial: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(partial.parent)
    partial.rename("out.parquet.partial").write_bytes(b"\xff\n[]")
    words = ("sweep", "--alpha", "0.1,0.2", "--lam", "0.1", "--kappa0", "1", "--tokens", "1")
    assert main([*words, "--workers", "1", "--out", "out.parquet"]) == 0
    assert (
        "out.parquet.partial: 2 of 2 lines are cut short or damaged, and are computed again.\n"
        in capsys.readouterr().err
    )
    assert [path.name for path in partial.parent.iterdir()] == ["out.parquet"]


def test_a_bit_flipped_anywhere_changes_no_row(partial: Path) -> None:
    kept = Journal(partial).rows
    lines = bytearray(partial.read_bytes())
    chance = random.Random(0)
    for _ in range(2000):
        position, bit = chance.randrange(len(lines)), 1 << chance.randrange(8)
        lines[position] ^= bit
        partial.write_bytes(lines)
        with pytest.MonkeyPatch.context() as quiet:
            quiet.setattr("warnings.warn", lambda *_, **__: None)
            found = Journal(partial).rows
        lines[position] ^= bit
        assert len(found) >= len(kept) - 2  # of a line break: two lines are one
        assert found.items() <= kept.items()


def test_infinities_come_back(tmp_path: Path) -> None:
    row = {"q": float("inf"), "status": "converged"}
    journal = Journal(tmp_path / "kept")
    journal.add("k", row)
    assert Journal(tmp_path / "kept", row_read).rows == {"k": row}


def test_a_sweep_that_is_killed_goes_on(tmp_path: Path, monkeypatch) -> None:
    """kill -9 at any row: every row that had been told as done is there the next time."""
    out = tmp_path / "out.parquet"
    kept = tmp_path / "out.parquet.partial"
    words = ("sweep", "--alpha", "0.1:0.5:30", "--lam", "0.1", "--kappa0", "0.5", "--tokens", "1")
    command = (*words, "--workers", "1", "--out", str(out))
    program = "import sys; from attlas.cli.main import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if kept.exists() and kept.read_bytes().count(b"\n") >= 3:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    done = len(Journal(kept).rows)
    assert 2 <= done < 30
    solved: list[Any] = []

    def counted(problem: Any, **options: Any) -> Any:
        solved.append(problem)
        return solve(problem, **options)

    monkeypatch.setattr("attlas.solver.sweep.solve", counted)
    assert main(command) == 0
    assert len(solved) == 30 - done
    assert not kept.exists()
    assert parquet.read_table(out).num_rows == 30
