"""What symbolic derives of the flow is what the solver follows."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.special import lambertw

import attlas
from attlas.model import BadInput, PowerLaw
from attlas.solver.channels.two_tokens.test_error import SquaredDistance
from attlas.solver.dynamics import power_law
from attlas.symbolic import dynamics as derived
from attlas.symbolic import notation as sym


def test_every_step_holds():
    outcomes = derived.dynamics().run_checks()
    assert len(outcomes) == len(derived.dynamics().steps)
    assert all(outcome.passed for _, outcome in outcomes)


@pytest.mark.parametrize(("q", "m"), [(0.9, 0.8), (0.05, -0.1), (1.3, 1.35)])
def test_slopes_of_two_tokens_are_means_of_the_derived_expressions(q, m):
    signal, beta, beta0 = 1.5, 1.2, 0.7
    a, weight = np.polynomial.hermite_e.hermegauss(100)
    weight = np.multiply.outer(weight, weight) / weight.sum() ** 2
    first = (3 * signal) ** 0.5 * a[:, None]
    second = m / signal * first + (3 * (q - m * m / signal)) ** 0.5 * a
    symbols = (derived.u0, derived.u, sym.beta, sym.beta0)
    expected = [
        float(np.sum(weight * sp.lambdify(symbols, one, "numpy")(first, second, beta, beta0)))
        for one in derived.TWO_TOKEN_SLOPES
    ]
    assert SquaredDistance(signal, 3.0, beta, beta0).slopes(q, m) == pytest.approx(
        expected, rel=1e-8
    )


def test_too_early_for_a_power_law_says_from_which_start():
    with pytest.raises(BadInput, match=r"must be below 0\.46") as refused:
        power_law(PowerLaw(gamma=1, d=100), t=0.1, sigma0=1.0)
    bound = float(refused.value.valid.split()[-1])
    assert bound == pytest.approx(1 / (2 * np.e * 4 * 0.1), rel=1e-2)
    assert power_law(PowerLaw(gamma=1, d=100), t=0.1, sigma0=0.99 * bound) > 0


def test_power_law_in_time_with_its_constant():
    """Between the first and the last mode, for a start so small that steps are sharp."""
    gamma, d, start = 1.25, 100_000, 1e-49
    problem = attlas.Problem(
        alpha=1,
        target=attlas.PowerLaw(gamma, d),
        channel=attlas.LinearChannel(),
        estimator=attlas.Factorised(lam=0),
    )
    t = np.array([3.0, 10.0, 30.0])
    found = attlas.dynamics(problem, t, sigma0=start)
    assert isinstance(problem.target, attlas.PowerLaw)
    law = np.array([power_law(problem.target, one, start) for one in t])
    length = -lambertw(-8 * t * start, -1).real
    exponent = 2 - 1 / gamma
    # What is left are the second order in 1/L, and the sum that is an integral here.
    assert found.mse == pytest.approx(law, rel=0.02)
    power = law / (1 - exponent / length)
    assert np.all(np.abs(found.mse / power - 1) > exponent / length / 2)
