"""Thresholds to many digits: growth with the digits, and the plain way at 50."""

from __future__ import annotations

import time
import timeit

import pytest

from attlas.solver.thresholds import threshold
from benchmarks.plain.threshold import perfect_recovery
from benchmarks.rows import Row, exponent, record, seconds

DIGITS = (50, 200, 1000)


@pytest.mark.parametrize(
    ("name", "noise"), [("perfect-recovery", "0"), ("interpolation", "1/2"), ("bayes", "0")]
)
def test_digits(benchmark, name: str, noise: str) -> None:  # type: ignore[no-untyped-def]
    threshold(name, kappa0="1/2", noise=noise, digits=20)  # derives and caches
    costs = [
        min(
            timeit.repeat(
                lambda digits=digits: threshold(name, kappa0="1/2", noise=noise, digits=digits),
                number=1,
                repeat=3,
            )
        )
        for digits in DIGITS
    ]
    benchmark.pedantic(lambda: threshold(name, kappa0="1/2", noise=noise, digits=50), rounds=2)
    growth = exponent(DIGITS, costs)
    rows = [
        Row(
            "thresholds",
            f"{name}: 50, 200, 1000 digits",
            ", ".join(map(seconds, costs)),
            "",
            None,
            "≤ digits²",
            growth <= 2,
            f"grows as digits^{growth:.2f}",
        )
    ]
    if name == "perfect-recovery":
        began = time.perf_counter()
        plain = perfect_recovery("0.5", 50)
        spent = time.perf_counter() - began
        ours = threshold(name, kappa0="1/2", digits=50)
        assert plain[:48] == str(ours.alpha_times_D)[:48], "the plain implementation is wrong"
        ratio = spent / costs[0]
        item = f"{name}: 50 digits against mpmath's quad and findroot"
        rows.append(Row("thresholds", item, seconds(costs[0]), seconds(spent), ratio))
    record(benchmark, *rows)
