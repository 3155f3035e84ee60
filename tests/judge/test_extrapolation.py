"""The extrapolation in 1/d: exact on exact data, honest error bars on noisy data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from attlas.verify.judgement import extrapolate
from attlas.verify.judgement.extrapolation import _group, _misfit
from attlas.verify.judgement.power import plan


def test_recovers_a_line_exactly():
    d = [20, 20, 40, 40, 80, 80]
    fit = extrapolate(d, [0.01 + 3.0 / size for size in d])
    assert fit.intercept == pytest.approx(0.01, abs=1e-13)
    assert fit.coefficients[1] == pytest.approx(3.0, rel=1e-12)
    assert fit.standard_error < 1e-13


def test_the_misfit_of_a_constant_is_welchs_analysis_of_variance():
    """Each size with a variance of its own : Johansen's test is then Welch's."""
    rng = np.random.default_rng(5)
    sizes, counts = (10, 20, 40, 80), (8, 9, 12, 30)
    groups = [1 + rng.normal(0, 1 / k, n) for k, n in enumerate(counts, start=1)]
    d = np.repeat(sizes, counts)
    found = _misfit(_group(d, np.concatenate(groups)), 0)
    assert found.p == pytest.approx(welch(groups), rel=1e-9)


def welch(groups: list[np.ndarray]) -> float:
    """The p-value of equal means (Welch, Biometrika 38, 1951)."""
    k = len(groups)
    weights = np.array([len(one) / np.var(one, ddof=1) for one in groups])
    means, free = np.array([one.mean() for one in groups]), np.array([len(g) - 1 for g in groups])
    mean = weights @ means / weights.sum()
    spread = float(np.sum((1 - weights / weights.sum()) ** 2 / free))
    between = weights @ (means - mean) ** 2 / (k - 1)
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(stats.f.sf(f, k - 1, (k**2 - 1) / (3 * spread)))


def test_a_second_power_is_found_and_fitted():
    rng = np.random.default_rng(1)
    d = np.repeat([10, 20, 40, 80], 20)
    deviations = (0.01 + 1.0 / d + 20.0 / d**2 + 1e-3 / d * rng.standard_normal(d.size)).tolist()
    line, parabola = (extrapolate(d.tolist(), deviations, order) for order in (1, 2))
    assert line.misfit.p < 1e-6
    assert parabola.misfit.p > 1e-3
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


# Three sizes and four, pooled variances (4 runs) and those of each size (8 runs, unequal spreads).
@pytest.mark.parametrize("sizes", [(24, 36, 60), (16, 24, 36, 60)])
@pytest.mark.parametrize(("runs", "exponent"), [(4, 1.0), (8, 0.5), (8, 1.5)])
def test_good_fits_are_called_bad_as_often_as_promised(
    sizes: tuple[int, ...], runs: int, exponent: float
):
    rng = np.random.default_rng(13)
    d = np.repeat(sizes, runs)
    trials, called = 1500, 0
    for _ in range(trials):
        noise = d**-exponent * rng.standard_normal(d.size)
        fit = extrapolate(d.tolist(), (0.02 + 1.0 / d + noise).tolist())
        assert fit.misfit.dof == len(sizes) - 2
        called += fit.misfit.p <= 0.05
    assert called <= 0.05 * trials + 3.5 * (0.05 * 0.95 * trials) ** 0.5
    assert called >= 0.02 * trials


def test_a_misfit_that_no_power_explains_is_seen():
    rng = np.random.default_rng(14)
    d = np.repeat([16, 24, 36, 60], 8)
    # Up and down in turn: the next power of 1/d alone would hardly notice.
    wave = np.repeat([0.01, -0.01, 0.01, -0.01], 8)
    fit = extrapolate(d.tolist(), (1.0 / d + wave + 0.1 / d * rng.standard_normal(32)).tolist())
    assert fit.misfit.chi_square > 20 * fit.misfit.dof
    assert fit.misfit.p < 1e-4


def test_runs_without_scatter_fit_or_do_not():
    d = [20, 20, 40, 40, 80, 80]
    assert extrapolate(d, [1.0 / size for size in d]).misfit.p == 1
    assert extrapolate(d, [1.0 / size**2 for size in d]).misfit.p == 0
    assert np.isnan(extrapolate(d, [1.0 / size for size in d], order=2).misfit.p)


@pytest.mark.parametrize(("order", "spread"), [(1, 0.75), (1, 0.5), (2, 0.5)])
def test_a_plan_asks_for_the_fewest_runs_at_one_more_size(order: int, spread: float):
    """Against the intercept's variance by least squares, run by run."""
    rng = np.random.default_rng(2)
    sizes = (24, 34, 48, 96)
    d = np.repeat(sizes, 5)
    fit = extrapolate(d.tolist(), (0.01 + rng.normal(0, spread / d)).tolist(), order)
    found = plan(fit, -0.02, 0.02, 0.0, 0.05, 40)
    assert found.size == 192
    assert found.size_seeds is not None

    def error(runs: int) -> float:
        rows = np.array([*d, *[192] * runs], dtype=float)
        design = rows[:, None] * (1 / rows)[:, None] ** np.arange(order + 1)
        weights = np.linalg.pinv(design)[0] * rows
        # Fluctuations fall as 1/d beyond the largest size.
        last = fit.variances[-1] * (96 / 192) ** 2
        variance = np.array([*np.repeat(fit.variances, 5), *[last] * runs])
        return float(np.sqrt(weights**2 @ variance))

    assert error(found.size_seeds) <= found.needed_error
    assert found.size_seeds == 2 or found.needed_error < error(found.size_seeds - 1)
