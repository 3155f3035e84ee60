"""The distance of two-token attention rows at any sharpness."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.solver.channels.two_tokens.proximal import logistic
from attlas.solver.channels.two_tokens.test_error import SquaredDistance


def plain(q, m, signal, beta, beta0):
    """The same mean on a uniform grid fine enough for moderate sharpness."""
    x = np.arange(-9, 9.001, 0.03)
    weight = np.exp(-0.5 * (x[:, None] ** 2 + x**2))
    u0 = math.sqrt(3 * signal) * x[:, None]
    u = m / signal * u0 + math.sqrt(3 * (q - m * m / signal)) * x
    miss = logistic(beta0 * u0) - logistic(beta * u)
    return 4 * np.sum(weight * miss**2) / weight.sum()


@given(
    q=st.floats(0.01, 3),
    correlation=st.floats(-0.99, 0.99),
    signal=st.floats(0.3, 3),
    beta=st.floats(0.1, 4),
    beta0=st.floats(0.1, 4),
)
@settings(max_examples=25, deadline=None)
def test_against_a_plain_grid(q, correlation, signal, beta, beta0):
    m = correlation * math.sqrt(q * signal)
    found = SquaredDistance(signal, 3.0, beta, beta0).value(q, m)
    assert found == pytest.approx(plain(q, m, signal, beta, beta0), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 1 - 1e-6])
def test_sharp_rows_differ_by_the_angle(correlation):
    """Steps differ with probability arccos(correlation)/pi, in any units of the scores."""
    expected = 4 * math.acos(correlation) / math.pi
    for signal in (1.0, 1e6):
        found = SquaredDistance(signal, 3.0, 1e9, 1e9).value(signal, correlation * signal)
        assert found == pytest.approx(expected, rel=1e-3)


def test_nothing_is_lost_where_the_rows_are_equal():
    assert SquaredDistance(2.0, 3.0, 1.0, 1.0).value(2.0, 2.0) == 0
