"""A point of state evolution against the plain way, and sharper tolerances warm."""

from __future__ import annotations

import time

import numpy as np

from attlas.model import Problem, SoftmaxChannel, problem_from
from attlas.solver.channels.from_loss.kernel import _moments
from attlas.solver.solve import solve
from benchmarks.plain.state_evolution import SAMPLES, iterate
from benchmarks.rows import Row, record, seconds

#: theory.md section 15, the base point.
PROBLEM = {"alpha": "0.2", "lam": "0.01", "kappa0": "0.5"}
REFERENCE = np.array([0.835242, 1.057498, 9.67856])
#: Iterations of the plain way that are left out, and of a block whose mean counts as one number:
#: damping makes iterates resemble those before.
BURN_IN, BLOCK = 30, 20
#: Accuracies that the plain way is run to.
MEASURED = (1e-3, 2e-4)


def test_point(benchmark) -> None:  # type: ignore[no-untyped-def]
    problem = problem_from(**PROBLEM)
    solve(problem)  # compiles and caches
    found = benchmark.pedantic(lambda: solve(problem), rounds=3)
    warm = benchmark.stats.stats.min
    sharp = _timed(lambda: solve(problem, rtol=1e-9))
    assert np.allclose([found.q, found.m, found.sigma], REFERENCE, rtol=1e-5)
    plain, rows = _plain(), []
    for rtol, made, spent in plain:
        ours = min(_timed(lambda rtol=rtol: solve(problem, rtol=rtol)) for _ in range(3))
        rows.append(
            Row(
                "state evolution",
                f"T = 2, base point, {rtol:.0e} relative".replace("e-0", "e-"),
                seconds(ours),
                seconds(spent),
                spent / ours,
                "≥ 1000x",
                spent / ours >= 1000,
                f"plain: {SAMPLES} samples in each of {made} iterations, until the mean of all but "
                f"the first {BURN_IN} has this standard error",
            ),
        )
    last, _, spent = plain[-1]
    at_1e6 = spent * (last / 1e-6) ** 2
    record(
        benchmark,
        *rows,
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


class _Own(SoftmaxChannel):
    """The softmax channel as a user writes it: its kernel is made from its loss."""

    name = "own-softmax"

    def loss(self, labels, scores, f):  # type: ignore[no-untyped-def]
        return super().loss(labels, scores, f)


def test_own_loss(benchmark) -> None:  # type: ignore[no-untyped-def]
    problem = problem_from(**PROBLEM)
    own = problem.with_(channel=_Own())
    benchmark.pedantic(lambda: _cold(own, 1e-4), rounds=1)
    record(benchmark, *(_beside_ours(own, problem, rtol) for rtol in (1e-3, 1e-4)))


def _beside_ours(own: Problem, problem: Problem, rtol: float) -> Row:
    kernels, bars = {}, {}
    for name, one in (("own", own), ("ours", problem)):
        solved = solve(one, rtol=rtol)
        bars[name] = solved.error.q / solved.q
        kernels[name] = min(_cold(one, rtol) for _ in range(3))
    slower = kernels["own"] / kernels["ours"]
    wanted = f"{rtol:.0e} relative".replace("e-0", "e-")
    return Row(
        "state evolution",
        f"T = 2, base point, {wanted}, a user's loss beside our kernel for it",
        seconds(kernels["own"]),
        seconds(kernels["ours"]),
        1 / slower,
        "≥ 0.1x",
        slower <= 10,
        "plain: the kernel by hand; processor time; bars of q "
        f"{bars['own']:.0e}, {bars['ours']:.0e}, relative",
    )


def _cold(problem: Problem, rtol: float) -> float:
    """Processor seconds of a solve that remembers no moments of the one before."""
    _moments.cache_clear()
    began = time.process_time()
    solve(problem, rtol=rtol)
    return time.process_time() - began


def _plain() -> list[tuple[float, int, float]]:
    """Each accuracy, the iterations that the plain way needs for it, and their seconds."""
    steps = iterate(0.2, 0.01, 0.5, np.random.default_rng(0))
    began = time.perf_counter()
    for _ in range(BURN_IN):
        next(steps)
    reached, blocks = [], []
    for rtol in MEASURED:
        error = np.inf
        while error > rtol:
            path = [next(steps) for _ in range(BLOCK)]
            blocks.append(np.mean(path, axis=0) / REFERENCE)
            if len(blocks) >= 4:
                error = float(np.max(np.std(blocks, axis=0, ddof=1))) / len(blocks) ** 0.5
        spent = time.perf_counter() - began
        gap = float(np.max(np.abs(np.mean(blocks, axis=0) - 1)))
        assert gap < 5 * rtol, "the plain implementation is wrong"
        reached.append((rtol, BURN_IN + BLOCK * len(blocks), spent))
    return reached


def _timed(work) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
