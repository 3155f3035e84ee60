"""Whole commands from a cold start: imports, help, a learning curve."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.rows import Row, record, seconds

ROOT = Path(__file__).parent.parent
ATTLAS = "from attlas.cli.main import run; run()"


def command(*arguments: str, threads: str = "1") -> float:
    """Wall seconds of a fresh interpreter."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, threads)}
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", *arguments],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def test_start(benchmark) -> None:  # type: ignore[no-untyped-def]
    benchmark.pedantic(lambda: command("import attlas"), rounds=5, warmup_rounds=1)
    imported = benchmark.stats.stats.min
    helped = min(command(ATTLAS, "--help") for _ in range(5))
    bare = min(command("pass") for _ in range(5))
    record(
        benchmark,
        Row(
            "start",
            "`import attlas`, interpreter included",
            seconds(imported),
            seconds(bare),
            None,
            "< 0.3 s",
            imported < 0.3,
            "plain: an interpreter that does nothing",
        ),
        Row("start", "`attlas --help`", seconds(helped), "", None, "< 0.5 s", helped < 0.5),
    )


def test_learning_curve(benchmark) -> None:  # type: ignore[no-untyped-def]
    grid = ("--alpha", "0.05:4:40:log", "--lam", "0.01,0.03,0.1,0.3", "--kappa0", "0.5")
    work = ("sweep", *grid, "--noise", "0.5", "--rtol", "1e-4", "--workers", "2", "--json")
    benchmark.pedantic(lambda: command(ATTLAS, *work), rounds=1)
    curve = benchmark.stats.stats.min
    threshold = command(ATTLAS, "threshold", "interpolation", "--kappa0", "0.5", "--noise", "0.5")
    total = curve + threshold
    record(
        benchmark,
        Row(
            "learning curve",
            "40 α × 4 λ, rtol 1e-4, and a threshold; two processes, cold start",
            seconds(total),
            "",
            None,
            "< 10 s",
            total < 10,
        ),
    )
