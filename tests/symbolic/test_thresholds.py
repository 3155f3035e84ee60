# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportReturnType=false
"""Thresholds: references to all digits, three arithmetics, independent numerics, every step."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.derivations import (
    linear_derivation,
    softmax_derivation,
    spectrum_derivation,
)
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import SEMICIRCLE, WISHART, NumericLaw
from attlas.symbolic.thresholds import (
    bands,
    bayes,
    bayes_value,
    collapse,
    critical_behaviour,
    critical_noise_level,
    direct_training,
    full_rank_series,
    interpolation,
    interpolation_value,
    jump,
    jump_value,
    linear_collapse_value,
    linear_reduction,
    noise_level,
    peak_norm,
    perfect_recovery,
    perfect_recovery_value,
    ridgeless,
    small_rank,
    small_rank_overlaps,
    small_rank_series,
)
from tests.symbolic.quadrature import QuadratureLaw

DERIVATIONS = {
    "ridgeless": ridgeless,
    "interpolation": interpolation,
    "perfect-recovery": perfect_recovery,
    "critical": critical_behaviour,
    "jump": jump,
    "bayes": bayes,
    "bands": bands,
    "small-rank": small_rank,
    "direct": direct_training,
    "linear": linear_reduction,
    "collapse": collapse,
    "spectrum-wishart": lambda: spectrum_derivation(WISHART),
    "spectrum-semicircle": lambda: spectrum_derivation(SEMICIRCLE),
    "channel-linear": linear_derivation,
    "channel-2": lambda: softmax_derivation(2),
    "channel-4": lambda: softmax_derivation(4),
}


@pytest.mark.parametrize("name", DERIVATIONS)
def test_every_step_that_can_be_executed_passes(name: str) -> None:
    derivation = DERIVATIONS[name]()
    for step, outcome in derivation.run_checks():
        assert outcome.passed, step.rule
    assert derivation.statement
    assert derivation.assumptions


def test_only_the_physics_is_assumed() -> None:
    assumed = {
        name: [step.rule for step in build().steps if step.is_assumption]
        for name, build in DERIVATIONS.items()
    }
    assert {name for name, rules in assumed.items() if rules} == {"bayes"}


#: theory.md sections 7 and 8.
REFERENCES = (
    (lambda **k: interpolation_value("1/2", "1/2", **k), 2,
     "0.153482102859080067573536069481189360096"),
    (lambda **k: interpolation_value("1/10", 1, **k), 2, "0.12970649106517030845195727606910245"),
    (lambda **k: perfect_recovery_value("1/10", **k), 1, "0.15757181511629545034"),
    (lambda **k: perfect_recovery_value("1/2", **k), 1, "0.42217498218550571851"),
    (lambda **k: peak_norm("1/2", "1/2", **k), 1, "4.9774379920454201671676701343846646"),
)  # fmt: skip


@pytest.mark.parametrize(("value", "rank", "digits"), REFERENCES)
def test_references_to_all_digits(value, rank: int, digits: str) -> None:
    shown = len(digits.split(".")[1])
    with mpmath.workdps(60):
        precise = value(digits=50) / rank
        assert abs(precise - mpmath.mpf(digits)) < mpmath.mpf(10) ** -shown
        ball = value(arithmetic="arb", digits=50)
        middle, radius = (mpmath.mpf(part.str(55, radius=False)) for part in (ball, ball.rad()))
        assert radius < mpmath.mpf(10) ** -48
        assert abs(middle / rank - precise) <= radius + mpmath.mpf(10) ** -49
    assert value(arithmetic="float64") == pytest.approx(float(precise) * rank, rel=1e-15)


def test_interpolation_without_noise_is_refused_with_advice() -> None:
    with pytest.raises(BadInput, match="perfect-recovery"):
        interpolation_value("1/2", 0)


@pytest.mark.parametrize(("kappa0", "noise"), [(0.3, 0.2), (0.9, 1.5), (2.0, 0.3)])
def test_interpolation_solves_its_definition_by_quadrature(kappa0: float, noise: float) -> None:
    """Minimal data at which the two ridgeless equations have epsilon = 0."""

    def excess(delta: float) -> float:
        law = QuadratureLaw(kappa0, delta)
        return law.J(0.0) - delta * law.J1(0.0) / 2 - 1 - kappa0 - noise / 2

    delta = optimize.brentq(excess, 0.4, 12, xtol=1e-12)
    expected = QuadratureLaw(kappa0, delta).J1(0.0) / (4 * delta)
    given_values = (Fraction(str(kappa0)), Fraction(str(noise)))
    assert interpolation_value(*given_values, "float64") == pytest.approx(expected, rel=1e-8)
    assert noise_level(*given_values, "float64") == pytest.approx(delta, rel=1e-8)


@pytest.mark.parametrize(("kappa0", "limit"), [("3/10", 0.3775), ("2", 0.5)])
def test_interpolation_limits(kappa0: str, limit: float) -> None:
    """theory.md: (1 + 2 kappa0 - kappa0^2)/4 or 1/2 as noise -> 0, 1/4 as noise -> infinity."""
    assert interpolation_value(kappa0, "1e-24", "float64") == pytest.approx(limit, abs=1e-7)
    assert interpolation_value(kappa0, "1e12", "float64") == pytest.approx(0.25, abs=1e-11)


def cone_minimum(kappa0: float) -> float:
    """a_perf from its definition: quadrature over the semicircle, minimised over tau."""
    width = 2 * math.sqrt(1 - kappa0)

    def size(tau: float) -> float:
        def weight(x: float) -> float:
            return (x - tau) ** 2 * math.sqrt(max(width**2 - x * x, 0)) / (math.pi * width**2 / 2)

        excess = integrate.quad(weight, tau, width, epsabs=1e-13)[0]
        return kappa0 * tau**2 + (1 - kappa0) * excess

    best = optimize.minimize_scalar(size, bounds=(0, width), method="bounded",
                                    options={"xatol": 1e-9})  # fmt: skip
    return kappa0 - kappa0**2 / 2 + best.fun / 2


@settings(max_examples=10, deadline=None)
@given(kappa0=st.fractions("1/50", "49/50", max_denominator=50))
def test_perfect_recovery_minimises_its_definition(kappa0: Fraction) -> None:
    expected = cone_minimum(float(kappa0))
    assert perfect_recovery_value(kappa0, "float64") == pytest.approx(expected, abs=1e-10)
    assert perfect_recovery_value(kappa0, "float64") > bayes_value(kappa0, "float64")


def test_perfect_recovery_at_extreme_rank_keeps_its_digits() -> None:
    ball = perfect_recovery_value("1e-40", "arb", 40)
    assert ball.rel_accuracy_bits() > 130
    assert float(ball.mid()) == pytest.approx(3e-40, rel=1e-12)
    assert perfect_recovery_value(3, "float64") == 0.5


def test_expansions_have_the_coefficients_of_the_theory() -> None:
    zeta, w = sym.zeta, sym.w
    small = (
        3 - sp.Rational(10, 7) * zeta**2 + sp.Rational(10, 21) * zeta**4
        - zeta**5 / (3 * sp.pi) - sp.Rational(130, 1617) * zeta**6
    )  # fmt: skip
    assert sp.expand(small_rank_series(6) - small) == 0
    full = sp.Rational(1, 2) - w**2 / 4 - 8 * w**3 / (9 * sp.pi**2)
    assert sp.expand(full_rank_series(3) - full) == 0


@pytest.mark.parametrize("order", [4, 9])
def test_expansions_converge_at_their_order(order: int) -> None:
    """Halving the variable divides the remainder by about 2^(order + 1)."""
    with mpmath.workdps(60):
        remainders = []
        for kappa0 in (Fraction(1, 10**6), Fraction(1, 32 * 10**6)):
            ratio = mpmath.mpf(kappa0.numerator) / kappa0.denominator
            zeta = mpmath.root(15 * mpmath.pi * ratio / 2, 5)
            series = evaluate(small_rank_series(order), {"zeta": zeta}, "mpmath", 50)
            exact = perfect_recovery_value(kappa0, digits=50) / ratio
            remainders.append(abs(series - exact))
        # An order whose next coefficient vanishes falls off faster, never slower.
        assert mpmath.log(remainders[0] / remainders[1], 2) > order + 0.9
        remainders = []
        for w in (Fraction(1, 50), Fraction(1, 100)):
            series = evaluate(full_rank_series(order), {"w": w}, "mpmath", 50)
            remainders.append(abs(series - perfect_recovery_value(1 - w, digits=50)))
        assert mpmath.log(remainders[0] / remainders[1], 2) > order + 0.7


@pytest.mark.parametrize("kappa0", [1.5, 3.0, 10.0])
def test_the_jump_is_where_the_lower_edge_reaches_zero(kappa0: float) -> None:
    touching = optimize.brentq(
        lambda delta: QuadratureLaw(kappa0, delta).bands[0][0], 1e-3, 10, xtol=1e-14
    )
    found = jump_value(Fraction(str(kappa0)), "float64")
    assert found == pytest.approx(touching**2, rel=1e-9)
    with pytest.raises(BadInput, match="kappa0"):
        jump_value("1/2")


@pytest.mark.parametrize("kappa0", ["1/100", "3/10", "4/5"])
def test_two_bands_below_the_critical_noise_level_only(kappa0: str) -> None:
    critical = critical_noise_level(kappa0, "float64")
    below, above = (QuadratureLaw(float(Fraction(kappa0)), critical * k) for k in (0.99, 1.01))
    assert len(below.bands) == 2
    assert len(above.bands) == 1
    opening = evaluate(bands().equations["opening"].rhs, {"kappa0": kappa0})
    near = QuadratureLaw(float(Fraction(kappa0)), critical * (1 - 1e-6))
    assert near.bands[0][1] == pytest.approx(opening, rel=1e-4)
    assert near.bands[1][0] == pytest.approx(opening, rel=1e-4)
    with pytest.raises(ValueError, match="kappa0 < 1"):
        critical_noise_level(2)


def test_bayes_threshold_counts_parameters_and_is_approached_by_the_equations() -> None:
    """2 a = q_hat (q0 - q) along small delta, Richardson-extrapolated."""
    kappa0 = 0.4
    values = []
    for delta in (2e-3, 1e-3):
        cube = QuadratureLaw(kappa0, delta).average(lambda _x, _h, r: r**2)
        values.append((1 - 4 * np.pi**2 / 3 * delta**2 * cube) / 2)
    assert 2 * values[1] - values[0] == pytest.approx(bayes_value("2/5", "float64"), abs=1e-5)
    assert bayes_value(2, "float64") == 0.5


def ridgeless_point(kappa0: float, samples: float, noise: float) -> tuple[float, float]:
    """(delta, epsilon) of the two ridgeless equations, by nested bracketing on quadrature."""

    def threshold(law: QuadratureLaw) -> float:
        def balance(epsilon: float) -> float:
            return law.J1(epsilon) / (4 * law.delta) - samples

        return optimize.brentq(balance, 0.0, law.bands[-1][1], xtol=1e-14)

    def signal(delta: float) -> float:
        law = QuadratureLaw(kappa0, delta)
        epsilon = threshold(law)
        j, j1, j2 = law.J(epsilon), law.J1(epsilon), law.J2(epsilon)
        return j - delta * j1 / 2 - epsilon * j2 - 1 - kappa0 - noise / 2

    delta = optimize.brentq(signal, 0.4, 4, xtol=1e-12)
    return delta, threshold(QuadratureLaw(kappa0, delta))


def signal_at(law: NumericLaw, delta: Any, root: Any) -> Any:
    """The ridgeless equation for Q without noise, over delta^2, as a function of tau."""

    def signal(tau: Any) -> Any:
        j, j1, j2 = (f(tau * delta) for f in (law.J, law.J1, law.J2))
        return (j - delta * j1 / 2 - tau * delta * j2 - 1 - root**2) / delta**2

    return signal


def test_critical_slope_matches_the_equations_just_below_recovery() -> None:
    """delta from the closed form against the two equations, at delta = 1e-10 and 1e-11."""
    kappa0, digits = Fraction(3, 10), 60
    with mpmath.workdps(80):
        threshold = perfect_recovery_value(kappa0, digits=digits)
        root = mpmath.sqrt(mpmath.mpf(3) / 10)
        ratio = []
        for delta in (mpmath.mpf("1e-10"), mpmath.mpf("1e-11")):
            law = NumericLaw(WISHART, {"s": root, "delta": delta}, "mpmath", digits)
            tau = mpmath.findroot(signal_at(law, delta, root), (0.3, 1.0), solver="anderson",
                                  tol=1e-40)  # fmt: skip
            samples = law.J1(tau * delta) / (4 * delta)
            predicted = evaluate(
                critical_behaviour().equations["delta"].rhs,
                {"kappa0": kappa0, "a": samples, "a_perf": threshold, "tau": tau},
                "mpmath",
                digits,
            )
            ratio.append(abs(predicted / delta - 1))
        # The relative error is linear in delta: the next order.
        assert ratio[0] < 1e-8
        assert ratio[0] / ratio[1] == pytest.approx(10, rel=0.01)


def test_small_rank_overlaps_are_the_limit_of_the_equations() -> None:
    """At kappa0 = 1e-16 with the closed forms; approached as kappa0^(2/5)."""
    samples, noise = Fraction(2), Fraction(1, 2)
    q, m = (float(value) for value in small_rank_overlaps(samples, noise, "float64"))
    with mpmath.workdps(40):
        root = mpmath.mpf("1e-8")

        def both(delta_r, epsilon_r):
            law = NumericLaw(WISHART, {"s": root, "delta": delta_r / root}, "mpmath", 30)
            epsilon = epsilon_r / root
            j, j1, j2 = law.J(epsilon), law.J1(epsilon), law.J2(epsilon)
            delta = law.values["delta"]
            signal = j - delta * j1 / 2 - epsilon * j2 - 1 - root**2 - float(noise) / 2
            return [signal, j1 / (4 * delta) / root**2 - float(samples)]

        start = [mpmath.mpf("0.354"), mpmath.mpf("0.7078")]
        delta_r, epsilon_r = mpmath.findroot(both, start, tol=1e-12, maxsteps=60)
        law = NumericLaw(WISHART, {"s": root, "delta": delta_r / root}, "mpmath", 30)
        epsilon = epsilon_r / root
        norm = law.J(epsilon)
        overlap = norm - (law.values["delta"] * law.J1(epsilon) + epsilon * law.J2(epsilon)) / 2
    assert float(norm) == pytest.approx(q, rel=2e-5)
    assert float(overlap) == pytest.approx(m, rel=2e-5)


def test_small_rank_below_weak_recovery_learns_nothing() -> None:
    assert small_rank_overlaps("5/8", "1/2", "float64") == (0, 0)
    assert small_rank_overlaps("0.63", "1/2", "float64")[0] > 0
    with pytest.raises(BadInput, match=r"^noise "):
        small_rank_overlaps(2, 0)


@pytest.mark.parametrize("arithmetic", ["float64", "mpmath", "arb"])
def test_collapse_is_where_the_top_edge_meets_the_threshold(arithmetic: str) -> None:
    value = linear_collapse_value("1/5", "1/2", "1/10", arithmetic, 30)
    number = float(value.mid()) if isinstance(value, flint.arb) else float(value)
    top = QuadratureLaw(0.5, math.sqrt(1.55 / 0.4)).bands[-1][1]
    assert number == pytest.approx(0.8 * top, rel=1e-12)


def test_ridgeless_equations_reproduce_direct_error_without_shrinkage() -> None:
    """Noiseless unconstrained squared error q0 (1 - 2a), by solving the linear equations."""
    rhs = direct_training().equations["ridgeless-error"].rhs
    q0, samples = 1.3, 0.2
    # mse = q0 - 4 a q0 + 4 a^2 (q0 + mse/(2 a)), iterated.
    error = q0
    for _ in range(500):
        error = q0 - 4 * samples * q0 + 4 * samples**2 * (q0 + error / (2 * samples))
    assert evaluate(rhs, {"q0": q0, "a": samples}) == pytest.approx(error, rel=1e-12)


def test_ridgeless_squared_error_is_twice_a_delta_squared() -> None:
    """theory.md section 7, at kappa0 = 0.5, a = 0.2, noise = 0.3, by quadrature alone."""
    delta, epsilon = ridgeless_point(0.5, 0.2, 0.3)
    law = QuadratureLaw(0.5, delta)
    q = law.J(epsilon)
    m = law.average(lambda x, h, _r: (x - epsilon) * (x - 2 * delta**2 * h), epsilon)
    stated = ridgeless().equations["mse"].rhs
    at = {"a": 0.2, "delta": delta, "noise": 0.3}
    assert q - 2 * m + 1.5 == pytest.approx(evaluate(stated, at), rel=1e-8)


@pytest.mark.parametrize("name", ["interpolation", "perfect-recovery"])
def test_a_root_in_a_flat_or_steep_function_is_found(name: str) -> None:
    """Tiny noise at kappa0 = 2 leaves the equation flat over most of its bracket."""
    if name == "interpolation":
        ball = interpolation_value(2, "1e-30", "arb", 30)
        assert abs(float(ball.mid()) - 0.5) < 1e-9
    else:
        ball = perfect_recovery_value(Fraction(10**12 - 1, 10**12), "arb", 30)
        with flint.ctx.workprec(200):
            assert ball < flint.arb("0.5")
            assert ball > flint.arb("0.5") - flint.arb("1e-24")
    assert ball.rel_accuracy_bits() > 99
