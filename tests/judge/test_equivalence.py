"""Band tests and Holm's correction against known values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attlas.verify.judgement import band_test, established, holm, step_up


def test_holm_reproduces_the_textbook_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_lies_between_the_raw_and_the_bonferroni_p_values(p: list[float]):
    for raw, adjusted in zip(p, holm(p), strict=True):
        assert raw <= adjusted <= min(1.0, raw * len(p))


def test_band_test_is_two_one_sided_t_tests():
    result = band_test(0.005, 0.004, 7.0, -0.02, 0.02)
    assert result.p_inside == pytest.approx(stats.t.sf(0.015 / 0.004, 7.0))
    assert result.p_outside == pytest.approx(stats.t.sf(-0.015 / 0.004, 7.0))


def test_a_systematic_error_helps_neither_verdict():
    near = band_test(0.005, 0.004, 7.0, -0.02, 0.02, systematic=0.003)
    assert near.p_inside == pytest.approx(stats.t.sf(0.012 / 0.004, 7.0))
    far = band_test(-0.03, 0.004, 7.0, -0.02, 0.02, systematic=0.003)
    assert far.p_outside == pytest.approx(stats.t.sf(0.007 / 0.004, 7.0))


@given(st.floats(-0.1, 0.1), st.floats(1e-4, 0.1), st.floats(0, 0.02), st.floats(1, 50))
def test_the_established_margin_is_the_band_that_is_just_decided(
    deviation: float, error: float, systematic: float, dof: float
):
    half = established(deviation, error, dof, 0.01, systematic)
    at = band_test(deviation, error, dof, -half, half, systematic)
    assert at.p_inside == pytest.approx(0.01)
    assert established(0.25 + deviation, 0.0, dof, 0.01, 0.5) == pytest.approx(0.75 + deviation)


@given(st.floats(-0.1, 0.1), st.floats(1e-4, 0.1), st.floats(0, 0.02), st.floats(1, 50))
def test_never_both_inside_and_outside(
    deviation: float, error: float, theory_error: float, dof: float
):
    result = band_test(deviation, error, dof, -0.02, 0.02, theory_error)
    assert result.p_inside + result.p_outside >= 1 - 1e-12


def test_step_up_is_hochberg():
    assert step_up([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])
    # All pass alone, and so all pass; one that does not halves the level of the others.
    assert max(step_up([0.05] * 30)) == pytest.approx(0.05)
    assert step_up([0.6, 0.04, 0.03, 0.02])[1:] == pytest.approx([0.08, 0.08, 0.08])
    assert step_up([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_step_up_lies_between_the_raw_and_holms_p_values(p: list[float]):
    for raw, up, down in zip(p, step_up(p), holm(p), strict=True):
        assert raw <= up <= down + 1e-15
