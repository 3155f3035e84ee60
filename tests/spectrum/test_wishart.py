"""The noisy Wishart law: edges, closed forms against 40 digits, honest error bars."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attlas.model.targets import Wishart
from attlas.solver.spectrum import WishartLaw, target_law
from attlas.symbolic.free_convolution import WISHART, NumericLaw

DIGITS = 40
NAMES = ("j", "j1", "j2", "mass", "squared_error_part", "squared_error")


def reference(kappa0: Fraction, delta: float, epsilon: float) -> dict[str, Any]:
    """The truncated integrals from symbolic's closed forms, at 40 digits."""
    with mpmath.workdps(3 * DIGITS):
        s = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
    law = NumericLaw(WISHART, {"s": s, "delta": Fraction(delta)}, "mpmath", DIGITS)
    with mpmath.workdps(DIGITS):
        threshold = Fraction(epsilon)
        j, j1, j2 = law.J(threshold), law.J1(threshold), law.J2(threshold)
        part = -j + mpmath.mpf(epsilon) * j2 + mpmath.mpf(delta) * j1
        q0 = 1 + mpmath.mpf(kappa0.numerator) / kappa0.denominator
        values = (j, j1, j2, law.mass(threshold), part, q0 + part)
        return dict(zip(NAMES, values, strict=True))


def inside(law: WishartLaw, band: int, share: float) -> float:
    bands = law.bands()
    chosen = bands[band % len(bands)]
    return chosen.lower + share * (chosen.upper - chosen.lower)


log_kappa0 = st.floats(-4, 1).map(lambda x: Fraction(round(10**x, 12)))
any_kappa0 = st.one_of(log_kappa0, st.sampled_from([Fraction(1), Fraction(1, 10**4)]))
log_delta = st.floats(-6, 1).map(lambda x: 10**x)
shares = st.one_of(
    st.floats(1e-3, 1 - 1e-3),
    st.floats(-8, -3).map(lambda x: 10**x),
    st.floats(-8, -3).map(lambda x: 1 - 10**x),
)


@settings(max_examples=60, deadline=None)
@given(any_kappa0, log_delta, st.integers(0, 1), shares)
def test_error_bars_never_understate(
    kappa0: Fraction, delta: float, band: int, share: float
) -> None:
    law = WishartLaw(kappa0, delta)
    epsilon = inside(law, band, share)
    assume(law.bands()[0].lower < epsilon < law.top)
    result = law.truncated(epsilon)
    for name, value in reference(kappa0, delta, epsilon).items():
        # the smallest normal float stands for the exact zeros outside the bands
        bound = getattr(result, f"{name}_error") + 1e-300
        assert abs(mpmath.mpf(getattr(result, name)) - value) <= bound, name


@settings(max_examples=40, deadline=None)
@given(any_kappa0, log_delta, st.integers(0, 1), st.floats(1e-3, 1 - 1e-3))
def test_away_from_the_edges_all_digits_are_right(
    kappa0: Fraction, delta: float, band: int, share: float
) -> None:
    law = WishartLaw(kappa0, delta)
    epsilon = inside(law, band, share)
    result = law.truncated(epsilon)
    for name, value in reference(kappa0, delta, epsilon).items():
        if name.startswith("squared_error"):
            continue
        # a shift of epsilon by its rounding error moves the tails at the edges
        loss = max(abs(epsilon), delta) / (law.bands()[band % len(law.bands())].upper - epsilon)
        tolerance = 1e-13 * max(1.0, loss) * float(abs(value))
        # a band of tiny mass is a small difference of terms of the order of the second moment
        rounding = 8 * math.ulp(1 + float(kappa0) + delta**2)
        assert float(abs(getattr(result, name) - value)) <= tolerance + rounding, name


@pytest.mark.parametrize(
    ("kappa0", "delta"), [("0.1", 1e-3), ("1e-3", 1e-3), ("0.1", 0.01), ("1e-3", 1.0)]
)
def test_both_bands_are_listed(kappa0: str, delta: float) -> None:
    """The narrow band near zero and the weak outlier band, which a density grid loses."""
    target = Wishart(kappa0)
    law = target_law(target).noisy(delta)
    low, high = law.bands()
    assert low.mass == pytest.approx(1 - float(target.kappa0), rel=1e-15)
    assert high.mass == pytest.approx(float(target.kappa0), rel=1e-15)
    assert low.lower == pytest.approx(-2 * delta * math.sqrt(low.mass), rel=0.05)


@settings(max_examples=25, deadline=None)
@given(log_kappa0, log_delta)
def test_edges_are_the_critical_values(kappa0: Fraction, delta: float) -> None:
    with mpmath.workdps(3 * DIGITS):
        s = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
    exact = NumericLaw(WISHART, {"s": s, "delta": Fraction(delta)}, "mpmath", DIGITS).bands()
    bands = WishartLaw(kappa0, delta).bands()
    assert len(bands) == len(exact)
    size = float(exact[-1][1]) + delta
    for band, (lower, upper) in zip(bands, exact, strict=True):
        assert band.lower == pytest.approx(float(lower), rel=1e-14, abs=1e-15 * size)
        assert band.upper == pytest.approx(float(upper), rel=1e-14, abs=1e-15 * size)


@pytest.mark.parametrize("kappa0", ["1e-3", "0.1", "0.5", "0.9"])
def test_the_gap_opens_where_theory_says(kappa0: str) -> None:
    """theory.md section 9: two bands iff kappa0 (1 + delta^(2/3))^3 < 1, opening at a known x."""
    exact = Wishart(kappa0).kappa0
    third = float(exact) ** (1 / 3)
    critical = (1 / third - 1) ** 1.5
    below, above = (WishartLaw(exact, critical * (1 + shift)) for shift in (-1e-6, 1e-6))
    assert len(below.bands()) == 2
    assert len(above.bands()) == 1
    opening = (1 - third) ** 2 * (2 + third) / math.sqrt(exact)
    low, high = below.bands()
    assert low.upper == pytest.approx(opening, rel=1e-5)
    assert high.lower == pytest.approx(opening, rel=1e-5)


@pytest.mark.parametrize("shift", [-1e-3, -1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-3])
@pytest.mark.parametrize("kappa0", ["1e-3", "1/8", "0.5"])
def test_touching_bands_lose_nothing(kappa0: str, shift: float) -> None:
    target = Wishart(kappa0)
    delta = (float(target.kappa0) ** (-1 / 3) - 1) ** 1.5 * (1 + shift)
    law = target_law(target).noisy(delta)
    total = float(1 + target.kappa0) + delta**2
    mass, mean, second = law.moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(math.sqrt(target.kappa0), abs=1e-12 * math.sqrt(total))
    assert second == pytest.approx(total, rel=1e-12)
    opening = (
        law.bands()[0].upper if len(law.bands()) == 2 else law.quantile(1 - float(target.kappa0))
    )
    # the mass below the point of touching is 1 - kappa0
    assert law.cdf(opening) == pytest.approx(1 - float(target.kappa0), abs=1e-12)


@pytest.mark.parametrize("kappa0", ["1e-4", "1e-2", "0.5", "1", "3"])
def test_without_noise_the_edges_are_those_of_marchenko_and_pastur(kappa0: str) -> None:
    exact = Wishart(kappa0).kappa0
    root = math.sqrt(exact)
    law = WishartLaw(exact, 1e-6)
    assert law.top == pytest.approx((1 + root) ** 2 / root, rel=1e-9)
    if exact != 1:
        assert law.bands()[-1].lower == pytest.approx((1 - root) ** 2 / root, abs=1e-4)


@pytest.mark.parametrize("kappa0", ["0.1", "0.5", "0.9"])
@pytest.mark.parametrize("delta", [1e-4, 1e-6])
def test_squared_error_keeps_its_digits_when_tiny(kappa0: str, delta: float) -> None:
    """Perfect recovery: it is of order delta^2, lost in Q0 - 2m + q and in Q0 + its part."""
    exact = Wishart(kappa0).kappa0
    law = WishartLaw(exact, delta)
    for epsilon in (delta, 1.5 * delta, 3 * delta):
        value = float(reference(exact, delta, epsilon)["squared_error"])
        result = law.truncated(epsilon)
        assert value < 20 * delta**2
        assert result.squared_error == pytest.approx(value, rel=1e-12)
        assert result.squared_error_error < 1e-11 * value


def test_rank_in_the_gap_is_exactly_kappa0() -> None:
    law = WishartLaw(Fraction(1, 10), 0.1)
    low, high = law.bands()
    for share in (0.01, 0.5, 0.99):
        epsilon = low.upper + share * (high.lower - low.upper)
        assert law.truncated(epsilon).mass == 0.1


def test_target_facts() -> None:
    law = target_law(Wishart("0.3"))
    assert law.q0 == pytest.approx(1.3, rel=1e-15)
    assert law.mean == pytest.approx(math.sqrt(0.3), rel=1e-15)
    assert law.rank_fraction == 0.3
    assert target_law(Wishart("3")).rank_fraction == 1.0


def test_transform_solves_the_cubic() -> None:
    """theory.md section 5, at points on and off the axis and at very different scales."""
    z = np.array([0.2, -3.0, 0.01 + 1e-3j, 4 - 2j, 100 + 0.5j])
    for kappa0, delta in ((0.5, 0.511), (1e-3, 1e-2), (3.0, 2.0)):
        s, t = math.sqrt(kappa0), delta**2
        g = WishartLaw(kappa0, delta).stieltjes(z)
        side = np.where(np.imag(z) < 0, -1, 1)
        terms = np.array([-(t / s) * g**3, (t + z / s) * g**2, -(z + 1 / s - s) * g, 1 + 0 * g])
        assert np.all(np.abs(terms.sum(axis=0)) < 1e-11 * np.abs(terms).max(axis=0))
        assert np.all(g.imag * side <= 0)
