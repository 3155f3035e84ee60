"""The six equations: against published numbers, differences and the reference point."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

from attlas.model import LinearChannel, SoftmaxChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivations import state_evolution_derivation
from attlas.symbolic.estimators import DIRECT, DIRECT_PSD, FACTORISED, WIDTH_LIMITED, Estimator
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, NumericLaw
from attlas.symbolic.functions import plain
from attlas.symbolic.state_evolution import CONJUGATES, OVERLAPS, state_evolution
from tests.symbolic.own_channels import ABSOLUTE
from tests.symbolic.reference_point import linear_point
from tests.symbolic.test_estimators import RIDGE_AND_TRACE

SOFTMAX = channel_equations(SoftmaxChannel(2))

#: theory.md section 15: T = 2, alpha = 0.2, lam = 0.01, kappa0 = 0.5, noise = 0.
BASE = {
    "q": "0.835242", "m": "1.057498", "sigma": "9.67856", "q_hat": "5.94689e-4",
    "m_hat": "0.0477170", "sigma_hat": "0.0554485", "delta": "0.511059", "epsilon": "0.419138",
    "rank_fraction": "0.487886", "lam_tilde": "0.01", "alpha": "0.2", "phi": "0.00556557",
    "train_error": "0.00306915",
}  # fmt: skip


def test_the_reference_point_has_the_published_error() -> None:
    assert linear_point().mse == pytest.approx(0.88160430, abs=1e-8)


@pytest.mark.parametrize("symbol", [*OVERLAPS, *CONJUGATES])
def test_every_equation_holds_at_the_reference_point(symbol: sp.Symbol) -> None:
    parts = state_evolution(channel_equations(LinearChannel()), FACTORISED)
    at = linear_point().values
    for right in (parts.updates[symbol], parts.display[symbol]):
        assert evaluate(right, at) == pytest.approx(at[symbol.name], rel=1e-9)


def test_the_free_energy_is_the_loss_at_the_reference_point() -> None:
    parts = state_evolution(channel_equations(LinearChannel()), FACTORISED)
    value = evaluate(plain(parts.free_energy), linear_point().values)
    assert value == pytest.approx(linear_point().loss, rel=1e-9)


@pytest.mark.parametrize("arithmetic", ["float64", "mpmath", "arb"])
def test_the_matrix_side_holds_at_the_base_point(arithmetic: str) -> None:
    """The published hats give the published overlaps to the digits shown (five)."""
    parts = state_evolution(SOFTMAX, FACTORISED)
    definitions = {
        name: evaluate(parts.definitions[symbol], BASE, "mpmath", 30)
        for name, symbol in (("delta", sym.delta), ("epsilon", sym.epsilon))
    }
    assert float(definitions["delta"]) == pytest.approx(0.511059, abs=1e-6)
    assert float(definitions["epsilon"]) == pytest.approx(0.419138, abs=2e-6)
    law = NumericLaw(
        WISHART, {"s": mpmath.sqrt(0.5), "delta": definitions["delta"]}, arithmetic, 20
    )
    epsilon = definitions["epsilon"]
    at = {**BASE, "J": law.J(epsilon), "J1": law.J1(epsilon), "J2": law.J2(epsilon)}
    for name in ("q", "m", "sigma"):
        value = evaluate(parts.updates[sym.notation(name).symbol], at, arithmetic, 20)
        number = float(value.mid()) if arithmetic == "arb" else float(value)
        assert number == pytest.approx(float(BASE[name]), rel=2e-5)
    assert float(law.mass(epsilon).mid() if arithmetic == "arb" else law.mass(epsilon)) == (
        pytest.approx(float(BASE["rank_fraction"]), abs=2e-6)
    )


@pytest.mark.parametrize("channel", [channel_equations(LinearChannel()), ABSOLUTE, SOFTMAX])
@pytest.mark.parametrize(
    "estimator", [FACTORISED, DIRECT, DIRECT_PSD, WIDTH_LIMITED, RIDGE_AND_TRACE]
)
def test_every_step_of_every_combination_checks(channel, estimator: Estimator) -> None:
    derivation = state_evolution_derivation(channel, estimator)
    outcomes = derivation.run_checks()
    assert len(outcomes) == 7
    assert all(outcome.passed for _, outcome in outcomes)
    assert sum(step.is_assumption for step in derivation.steps) == 1


def test_special_cases_are_those_of_the_theory_note() -> None:
    """theory.md sections 3 and 11, as formulas."""
    factorised = state_evolution(SOFTMAX, FACTORISED).display
    free = state_evolution(SOFTMAX, DIRECT).display
    positive = state_evolution(SOFTMAX, DIRECT_PSD).display
    linear = state_evolution(channel_equations(LinearChannel()), FACTORISED).display
    j, j1, j2, eta, delta = sym.J, sym.J1, sym.J2, sym.eta, sym.delta
    stated = [
        (factorised[sym.q], eta**2 * j),
        (factorised[sym.m], eta / 2 * (2 * j - delta * j1 - sym.epsilon * j2)),
        (factorised[sym.sigma], j1 / (2 * delta * sym.sigma_hat)),
        (factorised[sym.q_hat], -4 * sym.alpha * sym.M_sigma),
        (factorised[sym.m_hat], -2 * sym.alpha * sym.M_m),
        (factorised[sym.sigma_hat], 4 * sym.alpha * sym.M_q),
        (free[sym.q], eta**2 * (sym.q0 + delta**2)),
        (free[sym.m], eta * sym.q0),
        (free[sym.sigma], 1 / sym.curvature),
        (positive[sym.q], eta**2 * j),
        (positive[sym.m], eta / 2 * (2 * j - delta * j1)),
        (positive[sym.sigma], j1 / (2 * delta * sym.curvature)),
        (linear[sym.m_hat], 8 * sym.alpha / (1 + 4 * sym.sigma)),
    ]
    for derived, formula in stated:
        assert sp.simplify(derived - formula) == 0


@pytest.mark.parametrize("channel", [channel_equations(LinearChannel()), ABSOLUTE])
def test_conjugates_are_finite_differences_of_m(channel) -> None:
    parts = state_evolution(channel, FACTORISED)
    at = {"alpha": 0.3, "q": 0.8, "m": 0.5, "sigma": 0.7, "q_label": 1.6}
    step = 1e-6
    for symbol, (factor, name) in {
        sym.q_hat: (-4, "sigma"), sym.m_hat: (-2, "m"), sym.sigma_hat: (4, "q"),
    }.items():  # fmt: skip
        ends = [evaluate(channel.closed_form, {**at, name: at[name] + k * step}) for k in (1, -1)]
        slope = (ends[0] - ends[1]) / (2 * step)
        assert evaluate(parts.updates[symbol], at) == pytest.approx(0.3 * factor * slope, rel=1e-7)
