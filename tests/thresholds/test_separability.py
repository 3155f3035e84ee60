"""Separability of drawn labels: theory by other routes, and data sets."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import expit
from scipy.stats import norm

from attlas import Atoms, BadInput, Direct, DirectPSD, NextTokenChannel, Problem, Wishart
from attlas.model.parameters import problem_from
from attlas.solver.thresholds import threshold
from attlas.solver.thresholds.flat import threshold_from
from attlas.solver.thresholds.result import ThresholdStatus
from attlas.solver.thresholds.separability import distance, independent_rows, separable
from attlas.symbolic.thresholds import rows_value
from attlas.verify.claims import CLAIMS
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.experiments.separability import Constraints


def problem(**more):
    return problem_from(**{"alpha": 1, "lam": 1, "kappa0": "0.5", "channel": "next-token", **more})


@pytest.mark.slow
def test_rows_are_the_least_mean_square_over_one_choice():
    """theory.md section 18: a_sep = 1/min_t E(tYU + Z)_+^2, 2 without signal."""

    def mean(t, slope):
        def inside(u):
            x = t * u
            return (1 + x * x) * norm.cdf(x) + x * norm.pdf(x)

        return integrate.quad(
            lambda u: 2 * expit(slope * u) * norm.pdf(u) * inside(u), -12, 12, epsabs=1e-13
        )[0]

    for signal, shown in ((Fraction(2), 2.5091126474), (Fraction(8), None)):
        least: Any = optimize.minimize_scalar(
            lambda t, s=signal: mean(t, math.sqrt(s)), bounds=(-9, 0), method="bounded"
        )
        found = float(rows_value(signal, 0, "float64"))
        assert found == pytest.approx(1 / least.fun, rel=1e-9)
        assert shown is None or found == pytest.approx(shown, abs=1e-10)
    assert float(rows_value(Fraction(1, 10**6), 0, "float64")) == pytest.approx(2, abs=1e-6)


@pytest.mark.slow
def test_noise_of_rows_is_a_blurred_link():
    """Labels of noisy scores: the same formula with s averaged over the noise."""
    strength, ratio = 3.0, 0.5  # 2 beta0^2 Q, and Q/Q0 - 1
    clean = math.sqrt(strength / (1 + ratio))
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()

    def link(u):
        return float(weights @ expit(clean * (u + math.sqrt(ratio) * nodes)))

    def mean(t):
        def inside(u):
            x = t * u
            return (1 + x * x) * norm.cdf(x) + x * norm.pdf(x)

        return integrate.quad(lambda u: 2 * link(u) * norm.pdf(u) * inside(u), -12, 12)[0]

    least: Any = optimize.minimize_scalar(mean, bounds=(-5, 0), method="bounded")
    found = float(rows_value(Fraction(3), Fraction(1, 2), "float64"))
    assert found == pytest.approx(1 / least.fun, rel=1e-8)


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_distance_is_that_of_quadratic_programs(rho):
    """Scores of two tokens drawn outright, and the nearest point of each label's corner."""
    rng, n, sharpness = np.random.default_rng(5), 400_000, 1.3
    root = np.linalg.cholesky(np.array([[3.0, 1.0], [1.0, 3.0]]))
    z = rng.standard_normal((n, 2)) @ root.T
    w = rho * z + math.sqrt(1 - rho**2) * rng.standard_normal((n, 2)) @ root.T
    y = np.where(rng.random((n, 2)) < expit(sharpness * z), 1, -1)
    signed, cross = w * y, y[:, 0] * y[:, 1]
    # Multipliers of the two constraints, by cases of which are active.
    both = np.linalg.solve(
        np.stack([np.stack([3 + 0 * cross, cross], 1), np.stack([cross, 3 + 0 * cross], 1)], 1),
        -signed[..., None],
    )[..., 0]
    one, other = -signed[:, 0] / 3, -signed[:, 1] / 3
    value = np.select(
        [
            (both > 0).all(axis=1),
            (one > 0) & (signed[:, 1] + cross * one >= 0),
            (other > 0) & (signed[:, 0] + cross * other >= 0),
        ],
        [-(both * signed).sum(axis=1), 3 * one**2, 3 * other**2],
        0.0,
    )
    spread = value.std() / math.sqrt(n)
    assert distance(rho, sharpness) == pytest.approx(value.mean(), abs=4 * spread)


def test_limits_of_the_tied_threshold():
    """Labels of chance: as many constraints as twice the cone's dimension, d^2/4 or d^2/2."""
    for estimator, expected in ((DirectPSD(1), 0.25), (Direct(1), 0.5)):
        weak = problem(beta0="1/100000").with_(estimator=estimator)
        assert separable(weak).alpha == pytest.approx(expected, abs=1e-5)
    # Without a cone the spectrum is nothing but Q0.
    free = [
        separable(Problem(alpha=1, target=t, channel=NextTokenChannel(2), estimator=Direct(1)))
        for t in (Wishart("1/2"), Atoms([math.sqrt(1.5)] * 4))
    ]
    assert free[0].alpha == pytest.approx(free[1].alpha, rel=1e-12)


def test_the_threshold_is_stationary_and_the_best():
    """J1/(2 delta) = 2 alpha (D - rho D'/2): the equation for sigma_hat, which is not imposed."""
    given = problem(noise="0.3", beta0="1.5")
    found = separable(given)
    from attlas.solver.spectrum import target_law

    part = target_law(given.target).noisy(found.delta).truncated(0.0)
    sharpness, width = 1.5 * math.sqrt(1.65), 1e-5
    ahead, back = (distance(found.rho + s * width, sharpness) for s in (1, -1))
    freed = distance(found.rho, sharpness) - found.rho * (ahead - back) / (4 * width)
    assert part.j1 / (2 * found.delta) == pytest.approx(2 * found.alpha * freed, rel=1e-6)


@pytest.mark.slow
def test_cross_entropy_diverges_below_and_not_above():
    """The six equations at a small penalty: alpha against 1/q leads to the threshold."""
    from attlas.solver.branches import find_branches
    from attlas.solver.fixed_point import find
    from attlas.solver.state_evolution import StateEvolution

    def strength(alpha, lam):
        system = StateEvolution.of(problem(alpha=alpha, lam=lam))
        branch = find_branches(system, 300)[0]
        assert branch.point is not None
        point = find(lambda x: system.step(x, 2), branch.point.x, tolerance=1e-7, max_steps=100)
        return system.state(point.x).overlaps.q

    alphas = (0.57, 0.62, 0.7, 0.8)
    inverse = [1 / strength(str(alpha), "0.0001") for alpha in alphas]
    end = np.polyfit(inverse, alphas, 3)[-1]
    assert end == pytest.approx(separable(problem()).alpha, rel=0.02)
    # Below it q grows as the penalty falls; well above it does not.
    below = [strength("0.4", lam) for lam in ("0.03", "0.01")]
    above = [strength("1", lam) for lam in ("0.003", "0.001")]
    assert below[1] > 3 * below[0]
    assert above[1] < 1.1 * above[0]


def test_digits_that_are_shown():
    tied = threshold_from("separability", {"kappa0": "1/2"})
    assert tied.status is ThresholdStatus.LIMITED
    assert tied.digits >= 11
    assert (tied.alpha or "").startswith("0.5119033762")
    given = {"kappa0": "1/2", "training": "untied", "keys": "2", "tokens": "3"}
    proven = threshold_from("separability", given, digits=25, certify=True)
    assert proven.certified
    assert (proven.alpha_times_D or "").startswith("2.50911264737979762993043")
    assert float(proven.alpha or "nan") == pytest.approx(2.5091126474 / 3)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"tokens": "3"}, "tokens = 3"),
        ({"tokens": "1"}, "channel = 'linear'"),
        ({"lam": "0.1"}, "lam = '0.1'"),
        ({"alpha": "0.1"}, "alpha = '0.1'"),
        ({"training": "bayes"}, "training = 'bayes'"),
        ({"training": "untied", "tokens": "3"}, "keys = 3"),
        ({"token_covariance": "atoms:0.25/1.75"}, "token_covariance"),
    ],
)
def test_what_is_not_covered_is_refused(given, named):
    with pytest.raises(BadInput, match=named):
        threshold_from("separability", {"kappa0": "0.5", **given})
    with pytest.raises(BadInput, match="digits = 30"):
        threshold("separability", problem=problem(), digits=30)
    with pytest.raises(BadInput, match="problem"):
        threshold("separability", kappa0="0.5")


def test_data_are_separable_where_a_linear_program_says_so():
    """The interior point method without its cone, beside linprog; with it, a smaller set."""
    given = problem(beta0=2)
    d = 8
    data = draw_data(given, draw_teacher(given.target, d, 3), 90, 3)
    constraints = Constraints(data)
    answers = []
    for n in (30, 90):
        rows = constraints.rows[:n].reshape(-1, constraints.rows.shape[-1])
        free = optimize.linprog(
            np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None)
        )
        answers.append((constraints.separable(n), free.status == 0))
        assert answers[-1] in ((True, True), (False, True), (False, False))
    assert answers[0][1]
    assert answers[1] == (False, False)
    # The teacher separates labels that are not drawn at random.
    hard = replace(given.channel, beta0=10**6)
    data = draw_data(given.with_(channel=hard), draw_teacher(given.target, d, 3), 90, 3)
    assert Constraints(data).separable(90)


@pytest.mark.slow
def test_the_claim_has_wrong_theories_apart_from_the_right_one():
    from attlas.verify.experiments.separability import wrong
    from attlas.verify.store.case import Case

    one = CLAIMS["separability"]
    point = one.points[0].problem
    right = separable(point).alpha
    assert independent_rows(point) / right - 1 > one.quantities[0].cap
    case = Case(point, d=12, seed=1, source=one.id)
    for control in one.controls:
        assert wrong(case, control)["separable_alpha"] / right - 1 > one.quantities[0].cap
