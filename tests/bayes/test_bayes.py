"""The Bayes-optimal reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import (
    Atoms,
    BayesOptimal,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
)
from attlas.model.channels import Channel
from attlas.model.exact import Number
from attlas.solver import Status, solve
from attlas.solver.bayes.potential import BayesPoint, BayesProblem
from attlas.solver.spectrum import target_law


def problem(alpha: Number, channel: Channel, kappa0: Number = "1/2", estimator=None) -> Problem:
    return Problem(
        alpha=alpha,
        target=Wishart(kappa0),
        channel=channel,
        estimator=estimator or BayesOptimal(),
    )


@pytest.mark.parametrize(
    ("alpha", "posterior", "plugin"),
    [("0.05", 0.2134, 0.2242), ("0.1", 0.1209, 0.1251), ("0.15", 0.0414, 0.0420)],
)
def test_reference(alpha, posterior, plugin):
    # theory.md section 12
    solution = solve(problem(alpha, SoftmaxChannel()))
    assert solution.test_error == pytest.approx(posterior, abs=5e-5)
    assert solution.test_error_plugin == pytest.approx(plugin, abs=5e-5)
    assert solution.m == solution.q


def test_posterior_mean_by_nested_quadrature():
    """T = 2 directly: 4 E Var(s(beta0 u) | omega) with u of variance 3 Q."""
    solution = solve(problem("0.1", SoftmaxChannel(beta=2, beta0="3/2", noise="1/2")))
    x, w = np.polynomial.hermite_e.hermegauss(80)
    w = w / w.sum()

    def error(total: float) -> float:
        u = 1.5 * (
            (3 * solution.q) ** 0.5 * x[:, None] + (3 * (total - solution.q)) ** 0.5 * x[None, :]
        )
        s = 1 / (1 + np.exp(-u))
        return float(4 * w @ (s**2 @ w - (s @ w) ** 2))

    assert solution.test_error == pytest.approx(error(1.75), abs=1e-8)
    assert solution.test_error_clean == pytest.approx(error(1.5), abs=1e-8)


def test_three_tokens_by_sampling():
    solution = solve(problem("0.05", SoftmaxChannel(3, noise="1/2")))
    rng = np.random.default_rng(1)
    spread = np.array([2.0, 1.0, 1.0]) ** 0.5
    mean = spread * rng.standard_normal((400_000, 3)) * solution.q**0.5
    rest = spread * (1.75 - solution.q) ** 0.5
    rows = [np.exp(mean + rest * rng.standard_normal(mean.shape)) for _ in range(2)]
    first, second = (row / row.sum(axis=1, keepdims=True) for row in rows)
    draws = 1.5 * np.sum((first - second) ** 2, axis=1)
    assert solution.test_error == pytest.approx(
        float(draws.mean()), abs=4 * float(draws.std()) / draws.size**0.5
    )


def test_equations_hold():
    solution = solve(problem("0.3", LinearChannel("1/2")))
    assert solution.q_hat == pytest.approx(0.6 / (solution.mse + 0.25), rel=1e-11)
    nodes = target_law(Wishart("1/2")).noisy(solution.q_hat**-0.5).nodes()
    cube = float(np.sum(nodes.w * nodes.rho**2))
    q = 1.5 - 1 / solution.q_hat + 4 * np.pi**2 / (3 * solution.q_hat**2) * cube
    assert solution.q == pytest.approx(q, rel=1e-11)
    assert solution.test_error == pytest.approx(2 * solution.mse + 0.5, rel=1e-8)
    assert solution.test_error_plugin == pytest.approx(solution.test_error, rel=1e-8)


def test_exact_recovery_without_noise():
    # a_BO = kappa0 - kappa0^2/2 = 0.375
    beyond = solve(problem("0.3751", LinearChannel()))
    assert beyond.mse == 0
    assert "q_hat" not in beyond.present()
    below = solve(problem("0.3749", LinearChannel()))
    assert 0 < below.mse < 1e-2
    assert solve(problem("0.49", LinearChannel(), kappa0=2)).mse > 0
    assert solve(problem("0.51", LinearChannel(), kappa0=2)).mse == 0


@settings(max_examples=10, deadline=None)
@given(
    alpha=st.floats(0.05, 1.0),
    kappa0=st.floats(0.05, 2.0),
    noise=st.floats(0.01, 2.0),
    lam=st.floats(1e-3, 1.0),
)
def test_no_estimator_undercuts_it(alpha, kappa0, noise, lam):
    channel = LinearChannel(noise)
    best = solve(problem(alpha, channel, kappa0))
    trained = solve(problem(alpha, channel, kappa0, Factorised(lam, 1)))
    assert best.status is Status.CONVERGED
    assert best.mse <= trained.mse + best.error.mse + trained.error.mse


def test_known_identity_target_is_known():
    solution = solve(
        Problem(
            target=Atoms([1.0] * 20),
            channel=LinearChannel("1/2"),
            estimator=BayesOptimal(),
            alpha="0.3",
        )
    )
    assert solution.mse <= solution.error.mse


def test_solutions_are_where_the_free_energy_is_stationary():
    """Along points whose mse is the denoiser's: flat at a solution, with the right slope beside."""
    rng = np.random.default_rng(8)
    for target in (Wishart("0.3"), Wishart(2), Atoms([3.0] * 10 + [1e-3] * 10)):
        a, half_noise = rng.uniform(0.05, 0.5), rng.uniform(1e-3, 1)
        equations = BayesProblem(target_law(target), a, half_noise)

        def at(log_delta: float, equations: BayesProblem = equations) -> BayesPoint:
            delta = float(np.exp(log_delta))
            return BayesPoint(delta, delta**2 * equations.remaining(delta)[0], 0.0, 0.0)

        (solution,) = equations.solve()
        assert 2 * a * solution.delta**2 == pytest.approx(solution.mse + half_noise, rel=1e-8)
        for off in (0.0, *rng.uniform(-1, 1, 2)):
            center, step = float(np.log(solution.delta)) + off, 1e-3
            left, here, right = at(center - step), at(center), at(center + step)
            change = equations._difference(left, right)
            # dF = (dF/dq) dq, as F is stationary in q_hat: -(a/2)/(mse + noise/2) + q_hat/4.
            slope = 1 / (4 * here.delta**2) - a / (2 * (here.mse + half_noise))
            assert change == pytest.approx(slope * (left.mse - right.mse), rel=1e-4, abs=1e-8)
            assert off or abs(slope) < 1e-8
