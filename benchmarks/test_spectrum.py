"""J and its derivatives against scipy's quad."""

from __future__ import annotations

import timeit

import mpmath

from attlas.model import Wishart
from attlas.solver.spectrum import target_law
from benchmarks.plain.spectrum import j_and_derivatives
from benchmarks.rows import Row, record, seconds

#: Rounding of the reference itself.
UNIT = 2.0**-53
KAPPA0, DELTA, EPSILON = 0.5, 0.511, 0.419


def exact() -> list[float]:
    """The three values to 40 digits, rounded."""
    from attlas.symbolic.free_convolution import WISHART, NumericLaw

    with mpmath.workdps(40):
        numbers = {"delta": mpmath.mpf("0.511"), "s": mpmath.sqrt(mpmath.mpf("0.5"))}
        epsilon = mpmath.mpf("0.419")
    law = NumericLaw(WISHART, numbers, "mpmath", 40)
    return [float(form(epsilon)) for form in (law.J, law.J1, law.J2)]


def test_j_and_derivatives(benchmark) -> None:  # type: ignore[no-untyped-def]
    def fast() -> list[float]:
        found = target_law(Wishart("0.5")).noisy(DELTA).truncated(EPSILON)
        return [found.j, found.j1, found.j2]

    found = benchmark.pedantic(fast, rounds=50, iterations=4, warmup_rounds=3)
    fast_seconds = benchmark.stats.stats.median
    repeats = 2
    plain_seconds = min(
        timeit.repeat(lambda: j_and_derivatives(KAPPA0, DELTA, EPSILON), number=1, repeat=repeats)
    )
    reference = exact()
    errors = [
        max(abs(a / b - 1) for a, b in zip(values, reference, strict=True))
        for values in (found, j_and_derivatives(KAPPA0, DELTA, EPSILON))
    ]
    ratio = plain_seconds / fast_seconds
    record(
        benchmark,
        Row(
            "spectral law",
            "J, J₁, J₂ at κ₀ = 0.5, δ = 0.511, ε = 0.419",
            seconds(fast_seconds),
            seconds(plain_seconds),
            ratio,
            "≥ 100x",
            ratio >= 100,
        ),
        Row(
            "spectral law",
            "largest relative error of the three, against 40 digits",
            f"{max(errors[0], UNIT):.1e}",
            f"{errors[1]:.1e}",
            None,
            "1e-13",
            errors[0] <= 1e-13,
        ),
    )
    assert errors[0] < 1e-11
    assert errors[1] < 1e-4, "the plain implementation is wrong"
