"""Proximal gradient on maps: penalties, convergence, certificates."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import BadInput, BayesOptimal, problem_from
from attlas.verify import simulate
from attlas.verify.training.certificate import KKT_TOLERANCE
from attlas.verify.training.fista import minimise
from attlas.verify.training.penalty import SpectralPenalty, penalty_of
from attlas.verify.training.untied import nuclear_residual

PENALTIES = [
    SpectralPenalty(linear, ridge, positive)
    for linear, ridge in ((0.7, 0.0), (0.0, 0.7), (0.3, 0.4))
    for positive in (True, False)
]


@pytest.mark.parametrize("penalty", PENALTIES)
def test_shrink_minimises_its_objective(penalty):
    rng = np.random.default_rng(0)
    step = 0.3
    for x in 2 * rng.standard_normal(20):
        best = penalty.shrink(np.array([x]), step)
        value = (best[0] - x) ** 2 / (2 * step) + penalty.value(best)
        for trial in np.linspace(-3, 3, 601):
            if trial < 0 and penalty.positive:
                continue
            other = (trial - x) ** 2 / (2 * step) + penalty.value(np.array([trial]))
            assert other >= value - 1e-12


@pytest.mark.parametrize("penalty", PENALTIES)
def test_slope_is_the_derivative_of_shrink(penalty):
    x, step, width = np.array([-1.3, -0.2, 0.1, 0.9, 2.0]), 0.3, 1e-6
    slope = (penalty.shrink(x + width, step) - penalty.shrink(x - width, step)) / (2 * width)
    np.testing.assert_allclose(penalty.slope(x, step), slope, atol=1e-8)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_quadratic_problem_is_solved_to_its_closed_form(penalty):
    """min |S - A|^2/2 + penalty is the proximal operator at A."""
    rng = np.random.default_rng(1)
    a = rng.standard_normal((9, 9))
    a = a + a.T

    def smooth(s):
        return float(np.sum((s - a) ** 2)) / 2, s - a

    def residual(s, gradient):
        kkt = penalty.kkt(s, gradient)
        return max(kkt.slackness, kkt.dual_violation)

    found = minimise(smooth, penalty.prox, residual, np.eye(9), tolerance=1e-10)
    expected, value = penalty.prox(a, 1.0)
    np.testing.assert_allclose(found.s, expected, atol=1e-8)
    assert found.residual <= 1e-10
    assert found.objective == pytest.approx(smooth(expected)[0] + value, rel=1e-12)


def test_ill_conditioned_problem_needs_the_momentum():
    """Curvatures from 1e-4 to 1: plain steps would take tens of thousands."""
    curvature = np.logspace(-4, 0, 40)

    def smooth(s):
        return float(np.sum(curvature * (s - 1) ** 2)) / 2, curvature * (s - 1)

    found = minimise(
        smooth,
        lambda s, _: (s, 0.0),
        lambda _, gradient: float(np.abs(gradient).max()),
        np.zeros(40),
        tolerance=1e-9,
        max_steps=3000,
    )
    assert found.residual <= 1e-9
    np.testing.assert_allclose(found.s, 1.0, atol=1e-4)


@pytest.mark.parametrize(
    "flat",
    [
        {"tokens": 1, "noise": "0.2", "lam": "0.1"},
        {"tokens": 2, "kappa": "1.5"},
        {"tokens": 3, "noise": "0.1", "lam": "0.02", "alpha": "0.1"},
        {"training": "direct", "lam": "0.05"},
        {"training": "direct-psd", "lam": "0.05"},
    ],
)
@pytest.mark.parametrize("centring", ["trace", "average"])
def test_objective_is_that_of_gradient_training(flat, centring):
    problem = problem_from(**{"alpha": "0.2", "lam": "0.01", "kappa0": "0.5", **flat})
    convex, gradient = (
        simulate(problem, d=14, seeds=[1], algorithm=name, paired=False, centring=centring).runs[0]
        for name in ("fista", "adam")
    )
    assert convex.observables.loss == pytest.approx(gradient.observables.loss, rel=1e-10)
    assert convex.certificate.dual_violation <= 1e-7
    complement = convex.certificate.complement
    if problem.estimator.name == "factorised":
        assert complement is not None
        assert 0 < complement <= 1 + 1e-6
    else:
        assert complement is None


def test_a_wrong_map_has_no_certificate():
    penalty = SpectralPenalty(1.0, 0.0, positive=True)
    gradient = np.diag([-1.0, -0.5, -1.5])
    s = np.diag([2.0, 0.0, 0.0])
    kkt = penalty.kkt(s, gradient)
    assert kkt.slackness == pytest.approx(0)
    assert kkt.dual_violation == pytest.approx(0.5)
    assert kkt.dual_violation > KKT_TOLERANCE
    assert penalty.complement(np.diag(s), np.eye(3), gradient) == pytest.approx(1.5)


def test_a_wrong_symmetric_map_has_no_certificate():
    penalty = SpectralPenalty(1.0, 0.5, positive=False)
    s, gradient = np.diag([2.0, -1.0, 0.0]), np.diag([-2.0, 1.5, 1.75])
    kkt = penalty.kkt(s, gradient)
    assert kkt.slackness == pytest.approx(0)
    assert kkt.dual_violation == pytest.approx(0.75 / 1.5)
    assert penalty.complement(np.diag(s), np.eye(3), gradient) == pytest.approx(1.75)
    off = penalty.kkt(s, gradient + np.diag([0.0, 0.3, 0.0]))
    assert off.slackness == pytest.approx(0.3 / (1.5 * np.sqrt(5)))
    coupled = gradient + 0.2 * (np.eye(3)[[2, 1, 0]] - np.diag([0.0, 1.0, 0.0]))
    assert penalty.kkt(s, coupled).slackness == pytest.approx(0.2 * np.sqrt(2) / (1.5 * np.sqrt(5)))


def test_nuclear_residual_is_zero_at_the_thresholded_matrix_only():
    rng = np.random.default_rng(3)
    a = rng.standard_normal((6, 6))
    left, singular, right = np.linalg.svd(a)
    m = (left * np.maximum(singular - 0.8, 0)) @ right
    assert nuclear_residual(m, m - a, 0.8) < 1e-12
    assert nuclear_residual(1.1 * m, 1.1 * m - a, 0.8) > 0.01


def test_estimator_without_a_penalty_is_refused():
    with pytest.raises(BadInput, match="bayes"):
        penalty_of(BayesOptimal(), 0.1, 10, 10)


@pytest.mark.parametrize("training", ["direct", "direct-psd"])
def test_direct_training_agrees_with_its_theory(training):
    problem = problem_from(
        alpha="0.5", lam="0.1", kappa0="0.5", noise="0.5", tokens=1, training=training
    )
    simulation = simulate(problem, d=64, seeds=2)
    deviations = [run.deviations() for run in simulation.runs]
    for key, allowed in (("loss", 0.04), ("q", 0.06), ("m", 0.04), ("test_error", 0.06)):
        assert abs(np.mean([deviation[key] for deviation in deviations])) < allowed, key


def test_lam_path_leads_direct_training_down():
    problem = problem_from(alpha="0.2", lam="0.01", kappa0="0.5", training="direct")
    plain, led = (
        simulate(problem, d=12, seeds=[0], paired=False, lam_path=path).runs[0]
        for path in (None, (1, 0.1))
    )
    assert led.observables.loss == pytest.approx(plain.observables.loss, rel=1e-9)
