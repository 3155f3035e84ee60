# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false
"""The law of S0 + delta Z: closed forms against quadrature, differences and matrices."""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import linalg

from attlas.symbolic import notation as sym
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import (
    SEMICIRCLE,
    WISHART,
    NumericLaw,
    Spiked,
    atoms,
    closed_forms,
    from_r_transform,
)
from attlas.symbolic.free_convolution.partial_fractions import partial_fractions
from attlas.symbolic.thresholds.bands import CONDITION
from tests.symbolic.quadrature import QuadratureLaw
from tests.symbolic.strategies import values

TWO_ATOMS = atoms([(sp.Rational(1, 3), sp.Integer(0)), (sp.Rational(2, 3), sp.Integer(2))])


def wishart(kappa0: Fraction, delta: object, arithmetic: str = "mpmath", digits: int = 30):
    with mpmath.workdps(digits + 30):
        root = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
    return NumericLaw(WISHART, {"s": root, "delta": delta}, arithmetic, digits)


@settings(max_examples=8, deadline=None)
@given(kappa0=st.fractions("1/10", 3, max_denominator=50), delta=values("delta"),
       epsilon=values("epsilon"))  # fmt: skip
def test_closed_forms_agree_with_quadrature_in_every_arithmetic(kappa0, delta, epsilon) -> None:
    # Where two bands nearly meet the density has a cube-root cusp, which the quadrature loses.
    assume(abs(evaluate(CONDITION, {"kappa0": kappa0, "delta": delta}) - 1) > 0.4)
    reference = QuadratureLaw(float(kappa0), float(delta))
    expected = [
        reference.J(float(epsilon)), reference.J1(float(epsilon)), reference.J2(float(epsilon)),
        reference.mass(float(epsilon)),
    ]  # fmt: skip
    for arithmetic in ("float64", "mpmath", "arb"):
        law = wishart(kappa0, delta, arithmetic)
        found = [law.J(epsilon), law.J1(epsilon), law.J2(epsilon), law.mass(epsilon)]
        for value, right in zip(found, expected, strict=True):
            number = float(value.mid()) if isinstance(value, flint.arb) else float(value)
            assert number == pytest.approx(right, rel=1e-9, abs=1e-10)
            if isinstance(value, flint.arb):
                assert value.rad() < 1e-25


@settings(max_examples=6, deadline=None)
@given(kappa0=values("kappa0"), delta=values("delta"), epsilon=values("epsilon"))
def test_derivatives_are_derivatives(kappa0, delta, epsilon) -> None:
    digits = 60
    with mpmath.workdps(90):
        step = mpmath.mpf(10) ** -20
        at = mpmath.mpf(delta.numerator) / delta.denominator
        cut = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        law = wishart(kappa0, at, digits=digits)
        ahead, behind = (wishart(kappa0, at + sign * step, digits=digits) for sign in (1, -1))
        in_delta = (ahead.J(cut) - behind.J(cut)) / (2 * step)
        in_epsilon = (law.J(cut + step) - law.J(cut - step)) / (2 * step)
        assert abs(in_delta - law.J1(cut)) < 1e-30
        assert abs(in_epsilon - law.J2(cut)) < 1e-30


def test_a_width_limited_cut_keeps_the_integrands() -> None:
    law, reference = wishart(Fraction(1, 2), "3/5"), QuadratureLaw(0.5, 0.6)
    assert float(law.J("1/5", "13/10")) == pytest.approx(reference.J(0.2, 1.3), rel=1e-10)
    assert float(law.J1("1/5", "13/10")) == pytest.approx(reference.J1(0.2, 1.3), rel=1e-10)
    assert float(law.J2("1/5", "13/10")) == pytest.approx(reference.J2(0.2, 1.3), rel=1e-10)


def test_moving_the_cut_with_its_quantile_differentiates_j_in_delta() -> None:
    """theory.md section 13b: with omega the point of fixed mass above, dJ/ddelta is J1."""
    with mpmath.workdps(60):
        kappa, epsilon, step = mpmath.mpf(3) / 10, mpmath.mpf(1) / 5, mpmath.mpf(10) ** -15

        def cut_value(delta: Any) -> tuple[Any, Any]:
            law = wishart(Fraction(1, 2), delta, digits=50)
            cut = mpmath.findroot(lambda x: law.mass(x) - kappa, (1.2, 1.5), solver="secant")
            return law.J(epsilon, cut), law.J1(epsilon, cut)

        delta = mpmath.mpf(3) / 5
        slope = (cut_value(delta + step)[0] - cut_value(delta - step)[0]) / (2 * step)
        assert abs(slope - cut_value(delta)[1]) < 1e-25


@pytest.mark.parametrize(
    ("curve", "given_values", "second_moment"),
    [
        (WISHART, {"s": "7/10"}, Fraction(149, 100)),
        (SEMICIRCLE, {"v": "2/5"}, Fraction(2, 5)),
        (TWO_ATOMS, {}, Fraction(8, 3)),
        (from_r_transform("free Poisson + semicircle", sym.s / (1 - sym.u / sym.s) + sym.u / 4),
         {"s": "7/10"}, Fraction(149, 100) + Fraction(1, 4)),
    ],
)  # fmt: skip
def test_total_mass_and_second_moment(curve, given_values, second_moment) -> None:
    law = NumericLaw(curve, {**given_values, "delta": "1/3"}, "mpmath", 40)
    assert abs(law.mass(-9) - 1) < 1e-35
    with mpmath.workdps(50):
        excess = law.J(-9) + 9 * law.J2(-9) + 81
        exact = mpmath.mpf(second_moment.numerator) / second_moment.denominator
        assert abs(excess - exact - mpmath.mpf(1) / 9) < 1e-33


def test_a_semicircle_target_only_widens() -> None:
    """Variances add: radius 2 sqrt(v + delta^2), and J at 0 is half the second moment."""
    law = NumericLaw(SEMICIRCLE, {"v": "9/25", "delta": "4/5"}, "mpmath", 30)
    ((low, high),) = law.bands()
    assert abs(low + 2) < 1e-28
    assert abs(high - 2) < 1e-28
    assert abs(law.J(0) - mpmath.mpf(1) / 2) < 1e-28


def test_atoms_obey_subordination() -> None:
    law = NumericLaw(TWO_ATOMS, {"delta": "1/2"}, "mpmath", 30)
    with mpmath.workdps(35):
        for x in ("1/10", "3/2", "-5", "7"):
            point = mpmath.mpf(sp.Rational(x).p) / sp.Rational(x).q
            value = law.transform(x)
            moved = point - value / 4
            assert abs(1 / moved / 3 + 2 / (moved - 2) / 3 - value) < 1e-28


@pytest.mark.parametrize("curve", [WISHART, SEMICIRCLE, TWO_ATOMS])
def test_the_discriminant_vanishes_at_the_edges(curve) -> None:
    parameters = {"s": "7/10", "v": "2/5", "delta": "1/4"}
    law = NumericLaw(curve, parameters, "mpmath", 40)
    for edge in (end for band in law.bands() for end in band):
        assert abs(evaluate(curve.discriminant(), {**parameters, "x": edge}, "mpmath", 40)) < 1e-35


def test_bands_of_a_narrow_null_space_are_both_found() -> None:
    """theory.md: kappa0 = 1e-3, delta = 1e-3; adaptive quadrature loses the narrow band."""
    law = wishart(Fraction(1, 1000), "1/1000", digits=40)
    lower, upper = law.bands()
    assert lower[1] < upper[0]
    with mpmath.workdps(45):
        assert abs(law.mass((lower[1] + upper[0]) / 2) - mpmath.mpf(1) / 1000) < 1e-38
    reference = QuadratureLaw(1e-3, 1e-3)
    assert float(law.J("1/2000")) == pytest.approx(reference.J(5e-4), rel=1e-8)


def test_outside_the_bands_the_closed_forms_are_elementary() -> None:
    law = wishart(Fraction(1, 5), "1/5", digits=40)
    with mpmath.workdps(45):
        lower, upper = law.bands()
        gap = (lower[1] + upper[0]) / 2
        for place, mass in ((lower[0] - 1, 1), (gap, mpmath.mpf(1) / 5), (upper[1] + 1, 0)):
            assert abs(law.mass(place) - mass) < 1e-38
        # Above the top edge nothing is left; in the gap J is quadratic in epsilon.
        assert law.J(upper[1] + 1) == 0
        first, second, third, fourth = (law.J(gap + k * mpmath.mpf("0.01")) for k in range(4))
        assert abs(fourth - 3 * third + 3 * second - first) < 1e-36
        assert second < first


def test_reduced_forms_equal_the_general_ones() -> None:
    forms, law = closed_forms(WISHART), wishart(Fraction(2, 5), "6/5", digits=40)
    root = law.root("1/3")
    at = {**law.values, "epsilon": "1/3", "u": root}
    for general, value in ((forms.J, law.J("1/3")), (forms.J1, law.J1("1/3")),
                           (forms.J2, law.J2("1/3")), (forms.mass, law.mass("1/3"))):  # fmt: skip
        reduced = forms.written_out(general, sym.epsilon)
        assert abs(evaluate(reduced, at, "mpmath", 40) - value) < 1e-36


def test_outliers_match_a_random_matrix() -> None:
    """A spike of strength 3 on a Wishart background, d = 250: position and overlap to 4 %."""
    rng = np.random.default_rng(11)
    size, ratio, noise = 250, 0.1, 0.7
    rank = int(ratio * size)
    factor = rng.standard_normal((size, rank))
    background = factor @ factor.T / np.sqrt(rank * size)
    spike = rng.standard_normal(size)
    spike /= np.linalg.norm(spike)
    # z(u) at delta = 0 is the pole of the spiked background, not the spike's own strength.
    target = background + 9.0 * np.outer(spike, spike)
    top = (size - 1, size - 1)
    (strength,), vector = linalg.eigh(target, subset_by_index=top)
    gauss = rng.standard_normal((size, size))
    noisy = target + noise * (gauss + gauss.T) / np.sqrt(2 * size)
    (level,), moved = linalg.eigh(noisy, subset_by_index=top)
    s = math.sqrt(ratio)
    base = sp.lambdify((sym.u, sym.s), WISHART.base)
    grid = np.linspace(1e-3, 0.9 * s, 200_000)
    u = grid[np.argmin(np.abs(base(grid, s) - strength))]
    at = {"u": u, "s": s, "delta": noise}
    model = Spiked(WISHART)
    assert level == pytest.approx(evaluate(model.outlier(), at), rel=0.04)
    assert (moved[:, 0] @ vector[:, 0]) ** 2 == pytest.approx(
        evaluate(model.overlap(), at), rel=0.04
    )


def test_an_empty_background_gives_the_known_outlier() -> None:
    """theory.md section 9: theta + delta^2/theta, squared overlap 1 - delta^2/theta^2."""
    empty = Spiked(atoms([(sp.Integer(1), sp.Integer(0))]))
    theta, delta = sym.u, sym.delta
    assert sp.simplify(empty.outlier() - theta - delta**2 / theta) == 0
    assert sp.simplify(empty.overlap() - 1 + delta**2 / theta**2) == 0


def test_partial_fractions_add_up_and_refuse_an_unnamed_pole() -> None:
    u = sym.u
    function = (u**4 + 3) / (u**2 * (u - sym.s) ** 3)
    parts = partial_fractions(function, u, (sp.Integer(0), sym.s))
    rebuilt = parts.polynomial.as_expr() + sum(
        term / (u - pole) ** order
        for pole, terms in parts.principal.items()
        for order, term in enumerate(terms, start=1)
    )
    assert sp.simplify(rebuilt - function) == 0
    with pytest.raises(ValueError, match="not named"):
        partial_fractions(function, u, (sp.Integer(0),))


def test_threads_in_different_arithmetics_neither_block_nor_disturb_each_other() -> None:
    """arb evaluations take turns behind a lock; nothing else may be held while waiting for it."""

    def integral(job: tuple[str, int]) -> float:
        arithmetic, digits = job
        law = NumericLaw(WISHART, {"s": "1/2", "delta": "2/3"}, arithmetic, digits)
        value = law.J("1/4")
        return float(value.mid()) if isinstance(value, flint.arb) else float(value)

    jobs = [(name, digits) for digits in (20, 45, 30) for name in ("mpmath", "arb", "float64")] * 6
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    pool = ThreadPoolExecutor(6)
    try:
        futures = [pool.submit(integral, job) for job in jobs]
        found = [future.result(timeout=60) for future in futures]
    finally:
        sys.setswitchinterval(interval)
        pool.shutdown(wait=False, cancel_futures=True)
    assert np.ptp(found) < 1e-14


def test_weights_must_sum_to_one() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        atoms([(sp.Rational(1, 2), sp.Integer(0))])


def test_spectrum_of_a_matrix_has_the_density() -> None:
    """Eigenvalue counts of one d = 400 draw between five points, against the mass."""
    rng = np.random.default_rng(5)
    size, ratio, noise = 400, 0.5, 0.6
    factor = rng.standard_normal((size, int(ratio * size)))
    gauss = rng.standard_normal((size, size))
    matrix = factor @ factor.T / np.sqrt(factor.shape[1] * size)
    matrix += noise * (gauss + gauss.T) / np.sqrt(2 * size)
    levels = np.linalg.eigvalsh(matrix)
    law = wishart(Fraction(1, 2), "3/5", "float64")
    masses = [float(law.mass(x)) for x in ("-1/2", "0", "1/2", "1", "2")]
    counts = [np.mean(levels > x) for x in (-0.5, 0, 0.5, 1, 2)]
    assert np.allclose(masses, counts, atol=0.01)
    assert all(left > right for left, right in pairwise(masses))
