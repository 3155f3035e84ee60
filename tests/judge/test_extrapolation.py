"""The extrapolation in 1/d: exact on exact data, honest error bars on noisy data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from verify.judgement import extrapolate


def test_recovers_a_line_exactly():
    d = [20, 20, 40, 40, 80, 80]
    fit = extrapolate(d, [0.01 + 3.0 / size for size in d])
    assert fit.intercept == pytest.approx(0.01, abs=1e-13)
    assert fit.coefficients[1] == pytest.approx(3.0, rel=1e-12)
    assert fit.standard_error < 1e-13


def test_a_second_power_is_found_and_fitted():
    rng = np.random.default_rng(1)
    d = np.repeat([10, 20, 40, 80], 20)
    deviations = (0.01 + 1.0 / d + 20.0 / d**2 + 1e-3 / d * rng.standard_normal(d.size)).tolist()
    line, parabola = (extrapolate(d.tolist(), deviations, order) for order in (1, 2))
    assert line.goodness_of_fit < 1e-6
    assert parabola.goodness_of_fit > 1e-3
    assert parabola.intercept == pytest.approx(0.01, abs=4 * parabola.standard_error)


def test_truncation_covers_a_next_coefficient_of_the_allowed_size():
    d = [24, 24, 36, 36, 60, 60]
    fit = extrapolate(d, [1.0 / size + 3.0 / size**2 for size in d])
    assert 0 < abs(fit.intercept) <= fit.truncation


def test_the_error_comes_from_seeds_not_from_the_misfit():
    d = np.repeat([10, 20, 40], 2)
    spread = np.tile([-1.0, 1.0], 3) * 0.02 / d
    straight = extrapolate(d.tolist(), (1.0 / d + spread).tolist())
    bent = extrapolate(d.tolist(), (1.0 / d + 50.0 / d**3 + spread).tolist())
    assert bent.variances == pytest.approx(straight.variances)


# Below OWN_VARIANCE_RUNS the variances are pooled, which assumes fluctuations of order 1/d.
@pytest.mark.parametrize(("runs", "exponent"), [(2, 1.0), (4, 1.0), (8, 1.0), (8, 0.5), (8, 1.5)])
def test_intervals_cover_as_promised(runs: int, exponent: float):
    rng = np.random.default_rng(7)
    d = np.repeat([24, 36, 60], runs)
    trials, missed = 1500, 0
    for _ in range(trials):
        noise = d**-exponent * rng.standard_normal(d.size)
        fit = extrapolate(d.tolist(), (0.02 + 1.0 / d + noise).tolist())
        missed += abs(fit.intercept - 0.02) > fit.standard_error * stats.t.isf(0.025, fit.dof)
    # 5 % are promised; 3.5 standard deviations of the count are allowed for.
    assert missed <= 0.05 * trials + 3.5 * (0.05 * 0.95 * trials) ** 0.5


@pytest.mark.parametrize(
    ("d", "values"), [([20, 20], [0.1, 0.2]), ([20, 40], [0.1, 0.2]), ([20], [0.1])]
)
def test_refuses_runs_without_an_error_bar(d: list[int], values: list[float]):
    with pytest.raises(ValueError, match="2 sizes and two runs"):
        extrapolate(d, values)
