# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
"""Denoisers against the minimisation that defines them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from scipy import optimize

from attlas.symbolic import notation as sym
from attlas.symbolic.estimators import DIRECT_PSD, FACTORISED, Estimator
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.proximal import proximal
from tests.symbolic.strategies import points

RIDGE_AND_TRACE = Estimator(
    name="ridge-and-trace",
    penalty=sym.lam_tilde * sym.x + sym.lam_f * sym.x**2 / 2,
    positive=True,
    description="both penalties at once",
)


@pytest.mark.parametrize("estimator", [FACTORISED, DIRECT_PSD, RIDGE_AND_TRACE])
@settings(max_examples=25, deadline=None)
@given(at=points("x", "m_hat", "sigma_hat", "lam_tilde", "lam_f"))
def test_the_denoiser_minimises_the_effective_problem(estimator, at) -> None:
    number = {name: float(value) for name, value in at.items()}
    penalty = sp.lambdify((sym.x, sym.lam_tilde, sym.lam_f), estimator.penalty, modules="numpy")

    def objective(learned: float) -> float:
        return (
            number["sigma_hat"] * learned**2 / 4
            - number["m_hat"] * number["x"] * learned / 2
            + penalty(learned, number["lam_tilde"], number["lam_f"])
        )

    best = optimize.minimize_scalar(objective, bounds=(0, 50), method="bounded",
                                    options={"xatol": 1e-10})  # fmt: skip
    rule = estimator.denoiser()
    excess = max(number["x"] - evaluate(rule.threshold, at), 0.0)
    assert max(evaluate(rule.learned, at), 0.0) == pytest.approx(best.x, abs=1e-6)
    assert -evaluate(rule.amplitude, at) * excess**2 == pytest.approx(best.fun, abs=1e-9)


def test_a_penalty_with_a_kink_keeps_its_threshold_and_curvature() -> None:
    rule = RIDGE_AND_TRACE.denoiser()
    assert sp.simplify(rule.curvature - sym.sigma_hat - 2 * sym.lam_f) == 0
    assert sp.simplify(rule.threshold - 2 * sym.lam_tilde / sym.m_hat) == 0


def test_a_penalty_that_is_not_quadratic_is_refused() -> None:
    cubic = Estimator("cubic", sym.x**3, positive=True, description="cube of the eigenvalue")
    with pytest.raises(ValueError, match="quadratic"):
        cubic.denoiser()


def test_proximal_maps_of_a_cube_solve_their_quadratic() -> None:
    x, k = sp.Symbol("x", positive=True), sp.Rational(3, 2)
    solved = proximal(x**3 / 3, x, k)
    fields = np.linspace(0.1, 4, 9)
    for field in fields:
        point = float(solved.point.subs(solved.field, field))
        assert 1.5 * point + point**2 == pytest.approx(field, rel=1e-12)
