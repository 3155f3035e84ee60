"""The noisy law of given eigenvalues: exact cases, 40 digits, honest error bars, sizes."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model.errors import BadInput
from attlas.model.targets import Atoms, PowerLaw, Wishart
from attlas.solver.spectrum import AtomsTargetLaw, WishartLaw, target_law
from attlas.symbolic.free_convolution import NumericLaw, atoms

NAMES = ("j", "j1", "j2", "mass", "squared_error_part", "squared_error")


@pytest.mark.parametrize("delta", [1e-5, 0.3, 4.0])
@pytest.mark.parametrize("place", [0.0, 1.5])
def test_a_single_atom_is_a_semicircle(delta: float, place: float) -> None:
    law = AtomsTargetLaw([place] * 3).noisy(delta)
    (band,) = law.bands()
    assert band.lower == pytest.approx(place - 2 * delta, rel=1e-15)
    assert band.upper == pytest.approx(place + 2 * delta, rel=1e-15)
    assert band.mass == 1
    for share in (-1.5, -0.3, 0.2, 1.9):
        epsilon = place + share * delta
        x = (epsilon - place) / delta
        root = math.sqrt(4 - x * x)
        mass = (math.acos(x / 2) - x * root / 4) / math.pi
        assert law.truncated(epsilon).mass == pytest.approx(mass, rel=1e-12)
        density = float(law.density(epsilon))
        assert density == pytest.approx(root / (2 * math.pi * delta), rel=1e-10)
        assert float(law.hilbert(epsilon)) == pytest.approx(x / (2 * delta), rel=1e-10)


SMALL = [
    ([0, 0, 0, 1], [0.01, 0.3, 1.2]),
    ([0, Fraction(3, 2), 2], [0.05, 0.4]),
    ([0, 1, 1 + Fraction(1, 2**20)], [0.1]),
]


@pytest.mark.parametrize(
    ("values", "delta"), [(values, delta) for values, deltas in SMALL for delta in deltas]
)
def test_error_bars_never_understate(values: list[Fraction], delta: float) -> None:
    """Against symbolic's closed forms for the same atoms at 40 digits."""
    share = sp.Rational(1, len(values))
    exact = [sp.Rational(Fraction(v).numerator, Fraction(v).denominator) for v in values]
    weighted = [(share * exact.count(v), v) for v in dict.fromkeys(exact)]
    reference = NumericLaw(atoms(weighted), {"delta": Fraction(delta)}, "mpmath", 40)
    law = AtomsTargetLaw([float(v) for v in values]).noisy(delta)
    bands = law.bands()
    edges = reference.bands()
    assert len(bands) == len(edges)
    for band, (lower, upper) in zip(bands, edges, strict=True):
        assert band.lower == pytest.approx(float(lower), rel=1e-13)
        assert band.upper == pytest.approx(float(upper), rel=1e-13)
        for place in (1e-6, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-3, 1 - 1e-6):
            epsilon = band.lower + place * (band.upper - band.lower)
            result = law.truncated(epsilon)
            with mpmath.workdps(40):
                cut, noise = Fraction(epsilon), mpmath.mpf(delta)
                j, j1, j2 = reference.J(cut), reference.J1(cut), reference.J2(cut)
                part = -j + mpmath.mpf(epsilon) * j2 + noise * j1
                square = sum((Fraction(v) ** 2 for v in values), Fraction(0)) / len(values)
                q0 = mpmath.mpf(square.numerator) / square.denominator
                values_40 = (j, j1, j2, reference.mass(cut), part, q0 + part)
                for name, value in zip(NAMES, values_40, strict=True):
                    error = abs(mpmath.mpf(getattr(result, name)) - value)
                    assert error <= getattr(result, f"{name}_error"), (name, place)


eigenvalues = st.lists(
    st.one_of(st.just(0.0), st.floats(0, 4), st.sampled_from([1.0, 1.0 + 1e-12, 2.5])),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(eigenvalues, st.floats(-5, 0.6), st.floats(0.02, 0.98))
def test_truncated_integrals_agree_with_quadrature(
    values: list[float], log_delta: float, share: float
) -> None:
    target = AtomsTargetLaw(values)
    delta = 10**log_delta
    law = target.noisy(delta)
    epsilon = float(law.quantile(share)) if share > 0.5 else share * law.top
    result = law.truncated(epsilon)
    nodes = law.nodes(epsilon)
    above = nodes.x - epsilon
    scale = 1 + target.q0 + delta**2
    assert np.sum(nodes.w) == pytest.approx(result.mass, abs=1e-12)
    assert np.sum(nodes.w * above**2) == pytest.approx(result.j, abs=1e-12 * scale)
    j1 = 4 * delta * np.sum(nodes.w * above * nodes.hilbert)
    assert j1 == pytest.approx(result.j1, abs=1e-11 * scale)
    mass, mean, second = law.moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(target.mean, abs=1e-12 * scale)
    assert second == pytest.approx(target.q0 + delta**2, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-3, 0.1, 1.0])
def test_order_and_multiplicity_do_not_matter(delta: float) -> None:
    one = AtomsTargetLaw([0.0, 2.0, 0.0, 1.0]).noisy(delta)
    two = AtomsTargetLaw([0.0] * 6 + [1.0] * 3 + [2.0] * 3).noisy(delta)
    for epsilon in (-0.1, 0.4 * delta, 0.7, 1.0, 2.0 + delta):
        assert one.truncated(epsilon).j == pytest.approx(two.truncated(epsilon).j, rel=1e-13)
    assert one.bands()[0].lower == pytest.approx(two.bands()[0].lower, rel=1e-14)


@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-8, 1e-11, 1e-14, 1e-16])
def test_nearly_equal_eigenvalues_are_continuous(gap: float) -> None:
    close = AtomsTargetLaw([0.0, 1.0, 1.0 + gap]).noisy(0.2)
    merged = AtomsTargetLaw([0.0, 1.0, 1.0]).noisy(0.2)
    for epsilon in (0.3, 0.9, 1.0, 1.2):
        one, two = close.truncated(epsilon), merged.truncated(epsilon)
        assert abs(one.j - two.j) <= 3 * gap + 1e-13
        assert one.j_error < 1e-12


@pytest.mark.parametrize("tiny", [5e-324, 1e-200, 1e-60, 1e-20])
def test_eigenvalues_next_to_zero_are_harmless(tiny: float) -> None:
    one, two = (AtomsTargetLaw([0.0, value, 1.0]).noisy(0.3) for value in (tiny, 0.0))
    for epsilon in (-0.7, 0.0, 0.2, 1.1):
        assert one.truncated(epsilon).j == pytest.approx(two.truncated(epsilon).j, rel=1e-13)


def test_narrow_bands_are_accurate_where_a_grid_is_not() -> None:
    """theory.md section 16: at small delta J is the sum over atoms, up to delta^2."""
    values = np.linspace(0, 3, 200)
    delta, epsilon = 1e-4, 1.2
    above = values[values > epsilon]
    result = AtomsTargetLaw(values).noisy(delta).truncated(epsilon)
    plain = np.sum((above - epsilon) ** 2) / 200
    assert result.j - plain == pytest.approx(result.j1 * delta / 2, rel=1e-3)
    assert result.mass == pytest.approx(above.size / 200, rel=1e-13)
    assert result.j_error < 1e-14


def test_two_thousand_atoms_approach_the_wishart_law() -> None:
    kappa0, d = 0.5, 2000
    bare = WishartLaw(kappa0, 1e-6)
    rank = int(kappa0 * d)
    levels = 1 - kappa0 + (np.arange(rank) + 0.5) / d
    target = AtomsTargetLaw(np.concatenate((np.zeros(d - rank), bare.quantile(levels))))
    assert target.q0 == pytest.approx(1.5, rel=1e-5)
    for delta, epsilon in ((0.511059, 0.419138), (0.1, 0.25), (0.02, 1.0)):
        one, two = target.noisy(delta).truncated(epsilon), WishartLaw(kappa0, delta)
        other = two.truncated(epsilon)
        assert one.j == pytest.approx(other.j, rel=1e-4)
        assert one.j1 == pytest.approx(other.j1, rel=1e-3)
        assert one.mass == pytest.approx(other.mass, abs=1e-3)
    # the top edge is limited by the outermost atom, until the noise is large
    assert target.noisy(2.0).top == pytest.approx(WishartLaw(kappa0, 2.0).top, rel=1e-4)


@pytest.mark.parametrize("delta", [0.15, 0.6])
def test_one_random_matrix_agrees(delta: float) -> None:
    """Eigenvalues of S0 + delta Z at d = 400, against the law of that S0 and of all S0."""
    d, rank = 400, 200
    rng = np.random.default_rng(3)
    factor = rng.normal(size=(d, rank))
    teacher = factor @ factor.T / np.sqrt(d * rank)
    noise = rng.normal(size=(d, d))
    noise = (noise + noise.T) / np.sqrt(2 * d)
    seen = np.linalg.eigvalsh(teacher + delta * noise)
    own = AtomsTargetLaw(np.linalg.eigvalsh(teacher)).noisy(delta)
    limit = target_law(Wishart("0.5")).noisy(delta)
    for epsilon in (0.0, 2 * delta, 1.5):
        # linear statistics of eigenvalues fluctuate at order 1/d
        sampled = float(np.mean(np.maximum(seen - epsilon, 0) ** 2))
        assert sampled == pytest.approx(own.truncated(epsilon).j, abs=4 / d)
        assert sampled == pytest.approx(limit.truncated(epsilon).j, abs=20 / d)
        share = float(np.mean(seen > epsilon))
        assert share == pytest.approx(own.truncated(epsilon).mass, abs=4 / d)


def test_target_facts_and_dispatch() -> None:
    law = target_law(Atoms([2.0, 0.0, 1.0, 0.0]))
    assert law.q0 == 1.25
    assert law.mean == 0.75
    assert law.rank_fraction == 0.5


def test_power_law_is_the_law_of_its_eigenvalues() -> None:
    target = PowerLaw("1.25", d=200, q0=1)
    law = target_law(target)
    assert law.q0 == pytest.approx(1, rel=1e-14)
    assert law.rank_fraction == 1
    own = AtomsTargetLaw(target.eigenvalues).noisy(0.2).truncated(0.3)
    assert law.noisy(0.2).truncated(0.3) == own


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf]])
def test_eigenvalues_must_be_finite(values: list[float]) -> None:
    with pytest.raises(BadInput, match="eigenvalues"):
        AtomsTargetLaw(values)
