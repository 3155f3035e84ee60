"""The best penalty is a minimum, its sensitivity is what the solves say, the floor is below."""

from __future__ import annotations

import pytest

from attlas.model import BadInput, BayesOptimal, Factorised, LinearChannel, Problem, Wishart
from attlas.solver import solve
from attlas.solver.best_lambda import best_lambda


def linear(noise: str, alpha: str = "0.3") -> Problem:
    return Problem(
        alpha=alpha,
        target=Wishart("0.5"),
        channel=LinearChannel(noise),
        estimator=Factorised(1),
    )


def test_it_is_the_minimum():
    found = best_lambda(linear("0.5"))
    assert found.error.lam < 0.1 * found.values.lam
    for factor in (0.85, 1.18, 0.3, 3):
        lam = factor * found.values.lam
        other = solve(linear("0.5").with_(estimator=Factorised(lam)))
        assert other.test_error > found.values.test_error
    assert found.values.bayes_test_error < found.values.test_error
    assert found.values.efficiency == pytest.approx(
        found.values.bayes_test_error / found.values.test_error
    )
    assert found.values.loss_within_factor_2 == pytest.approx(
        found.values.test_error_double / found.values.test_error - 1, abs=1e-6
    )


def test_without_noise_the_limit_is_best():
    found = best_lambda(linear("0", alpha="0.45"))
    assert found.values.lam == 0
    assert found.values.test_error == pytest.approx(0, abs=1e-12)


def test_an_estimator_without_penalty_is_refused():
    with pytest.raises(BadInput, match="penalty"):
        best_lambda(linear("0.5").with_(estimator=BayesOptimal()))
