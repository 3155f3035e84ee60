"""The linear channel's closed form against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.solver.channels import LinearKernel
from attlas.solver.order_parameters import Overlaps

POINTS = st.tuples(st.floats(0.01, 5), st.floats(-0.99, 0.99), st.floats(0, 50), st.floats(0.1, 5))


def moments(q, m, sigma, signal):
    return LinearKernel(noise=0.3).moments(Overlaps(q, m, sigma), signal, 0)


@given(POINTS)
@settings(max_examples=50, deadline=None)
def test_moments_are_those_of_the_proximal_point(point):
    q, correlation, sigma, signal = point
    m = correlation * math.sqrt(q * signal)
    # One diagonal score: variances 2Q, 2q, covariance 2m; proximal metric (h - omega)^2/(4 sigma).
    x, w = np.polynomial.hermite_e.hermegauss(8)
    a, b = np.meshgrid(x, x, indexing="ij")
    weight = np.outer(w, w) / (2 * np.pi)
    z0 = math.sqrt(2 * signal) * a
    omega = math.sqrt(2) * (m / math.sqrt(signal) * a + math.sqrt(q - m * m / signal) * b)
    h = (omega + 4 * sigma * z0) / (1 + 4 * sigma)
    found = moments(q, m, sigma, signal)
    loss = np.sum(weight * (z0 - h) ** 2)
    # (h - omega)^2/(4 sigma) is 4 sigma (z0 - h)^2 because h - omega = 4 sigma (z0 - h).
    assert found.train_error == pytest.approx(loss, rel=1e-11, abs=1e-13)
    assert found.energy == pytest.approx((1 + 4 * sigma) * loss, rel=1e-11, abs=1e-13)


@given(POINTS)
@settings(max_examples=50, deadline=None)
def test_derivatives_are_those_of_the_energy(point):
    q, correlation, sigma, signal = point
    m = correlation * math.sqrt(q * signal)
    sigma += 0.01

    def energy(q, m, sigma):
        return moments(q, m, sigma, signal).energy

    found = moments(q, m, sigma, signal)
    for place, value in enumerate((found.d_q, found.d_m, found.d_sigma)):
        step = 1e-4 * (q, 1.0, sigma)[place]
        up, down = [q, m, sigma], [q, m, sigma]
        up[place] += step
        down[place] -= step
        slope = (energy(*up) - energy(*down)) / (2 * step)
        assert slope == pytest.approx(value, rel=1e-6, abs=1e-8)


def test_test_errors():
    errors = LinearKernel(noise=0.3).test_errors(q=0.7, m=0.6, q0=1.2)
    assert errors.clean == pytest.approx(2 * (1.2 - 1.2 + 0.7))
    assert errors.noisy - errors.clean == pytest.approx(0.3)
