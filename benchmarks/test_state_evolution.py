"""A point of state evolution against the plain way, and sharper tolerances warm."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.plain.state_evolution import SAMPLES, iterate
from benchmarks.rows import Row, record, seconds
from model import problem_from
from solver.solve import solve

#: theory.md section 15, the base point.
PROBLEM = {"alpha": "0.2", "lam": "0.01", "kappa0": "0.5"}
REFERENCE = np.array([0.835242, 1.057498, 9.67856])
BURN_IN, AVERAGED = 30, 30


def test_point(benchmark) -> None:  # type: ignore[no-untyped-def]
    problem = problem_from(**PROBLEM)
    solve(problem)  # compiles and caches
    found = benchmark.pedantic(lambda: solve(problem), rounds=3)
    warm = benchmark.stats.stats.min
    coarse = _timed(lambda: solve(problem, rtol=1e-3))
    sharp = _timed(lambda: solve(problem, rtol=1e-9))
    assert np.allclose([found.q, found.m, found.sigma], REFERENCE, rtol=1e-5)

    began = time.perf_counter()
    steps = iterate(0.2, 0.01, 0.5, np.random.default_rng(0))
    path = np.array([next(steps) for _ in range(BURN_IN + AVERAGED)])
    plain = time.perf_counter() - began
    # One state scatters by this much; averages of k states by sqrt(k) less.
    scatter = float(np.max(np.std(path[BURN_IN:], axis=0, ddof=1) / REFERENCE))
    error = float(np.max(np.abs(path[BURN_IN:].mean(axis=0) / REFERENCE - 1)))
    assert error < 0.05, "the plain implementation is wrong"
    each = plain / len(path)
    at_1e3 = each * (BURN_IN + max(1.0, (scatter / 1e-3) ** 2))
    at_1e6 = each * (scatter / 1e-6) ** 2
    record(
        benchmark,
        Row(
            "state evolution",
            "T = 2, base point, 1e-3 relative",
            seconds(coarse),
            seconds(at_1e3),
            at_1e3 / coarse,
            "≥ 1000x",
            at_1e3 / coarse >= 1000,
            f"plain: {SAMPLES} samples an iteration; measured over {len(path)} iterations "
            f"({seconds(each)} each, one scatters by {scatter:.1e}), averages of more extrapolated "
            "as the square root",
        ),
        Row(
            "state evolution",
            "the same, 1e-6 relative",
            seconds(warm),
            seconds(at_1e6),
            at_1e6 / warm,
            "≥ 1000x",
            at_1e6 / warm >= 1000,
            "plain extrapolated as 1/error²",
        ),
        Row(
            "state evolution",
            "warm, 1e-6 relative",
            seconds(warm),
            target="< 0.1 s",
            met=warm < 0.1,
        ),
        Row(
            "state evolution",
            "warm, 1e-9 relative",
            seconds(sharp),
            target="< 1 s",
            met=sharp < 1,
        ),
    )


def _timed(work) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
