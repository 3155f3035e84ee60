"""How the cost of theory grows: with tokens, with the number of cases, with eigenvalues."""

from __future__ import annotations

import time

from attlas.model import problem_from
from attlas.solver.solve import solve
from attlas.solver.sweep import sweep
from benchmarks.rows import Row, exponent, record, seconds


def test_tokens(benchmark) -> None:  # type: ignore[no-untyped-def]
    costs = []
    for tokens in (2, 3, 4):
        problem = problem_from(alpha="0.1", lam="0.02", kappa0="0.5", noise="0.1", tokens=tokens)
        costs.append(_timed(lambda problem=problem: solve(problem, rtol=1e-2)))
    benchmark.pedantic(lambda: None, rounds=1)
    record(
        benchmark,
        Row(
            "growth",
            "a solve to 1e-2 with T = 2, 3, 4",
            ", ".join(map(seconds, costs)),
            note=f"T^{exponent((2, 3, 4), costs):.1f}; T = 2 integrates along curves",
        ),
    )


def test_cases(benchmark) -> None:  # type: ignore[no-untyped-def]
    problem = problem_from(alpha="0.5", lam="0.1", kappa0="0.5", tokens="1")
    counts, costs = (10, 40, 160), []
    for count in counts:
        alphas = [f"{0.1 + 0.01 * index:.2f}" for index in range(count)]
        costs.append(_timed(lambda a=alphas: sweep(problem, workers=1, alpha=a)))
    benchmark.pedantic(lambda: None, rounds=1)
    item = "a sweep with 10, 40, 160 cases, one process"
    growth = f"cases^{exponent(counts, costs):.2f}"
    record(benchmark, Row("growth", item, ", ".join(map(seconds, costs)), note=growth))


def test_eigenvalues(benchmark) -> None:  # type: ignore[no-untyped-def]
    sizes, costs = (100, 400, 1600), []
    for d in sizes:
        problem = problem_from(
            alpha="0.2", lam="0.05", noise="0.1", tokens="1", target=f"power-law:gamma=1.25,d={d}"
        )
        costs.append(_timed(lambda problem=problem: solve(problem)))
    benchmark.pedantic(lambda: None, rounds=1)
    item = "a solve with d = 100, 400, 1600 eigenvalues, T = 1"
    growth = f"d^{exponent(sizes, costs):.2f}"
    record(benchmark, Row("growth", item, ", ".join(map(seconds, costs)), note=growth))


def _timed(work) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
