"""The perfect-recovery threshold: derivation, parametric form and any number of digits."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from typing import Any

import mpmath
import sympy as sp

from attlas.model import Estimator
from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import (
    CHECK_DIGITS,
    Derivation,
    Step,
    by_numbers,
    exactly,
)
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import PRODUCT, WISHART, NumericLaw
from attlas.symbolic.thresholds.root import as_function, solve_then_evaluate

_K, _TH, _TAU = sym.kappa0, sym.theta, sym.tau
_COS, _SIN = sp.cos(_TH), sp.sin(_TH)

#: kappa0/(1 - kappa0) as a function of theta, per free entry of the map (1 of a symmetric one).
RATIO = (sp.tan(_TH) * (2 + _COS**2) / 3 - _TH) / sp.pi


def require_nuclear(estimator: Estimator) -> None:
    """Refuse a penalty that is not in proportion to the nuclear norm of positive maps, or of any.

    Raises
    ------
    BadInput
    """
    shape = estimator.shape
    nuclear = shape is not None and shape.thresholds and not shape.quadratic and not shape.limited
    if shape is None or not nuclear or (shape.symmetric and not shape.positive):
        raise BadInput(
            "training",
            estimator.name,
            "must penalise the nuclear norm alone, of positive maps or of maps without symmetry: "
            "else the step J(delta, tau delta) of the recovery threshold does not go through",
        )


def recovery_value(freedom: int) -> sp.Expr:
    """a_perf as a function of kappa0 and theta."""
    seen = (_TH - _SIN * _COS * (5 - 2 * _COS**2) / 3) / sp.pi
    return sp.Rational(freedom, 2) * (1 - (1 - _K) ** 2 * (1 - freedom * seen))


#: tau at the threshold.
TAU_STAR = 2 * sp.sqrt(1 - _K) * _COS

_EXCESS = {1: sym.excess_1, 2: sym.excess_2}


def cone_size(freedom: int) -> sp.Expr:
    """The coefficient of delta^2 in J(delta, tau delta), minimised over tau at the threshold.

    There it is 2 a/freedom. Of a map that is not symmetric the null space counts on both sides.
    """
    return 2 * _K - _K**2 + _K * _TAU**2 + freedom * (1 - _K) * _EXCESS[2]


def semicircle_excess(power: int) -> sp.Expr:
    """Integral of (x - tau)^power above tau = TAU_STAR under a semicircle of variance 1 - kappa0.

    By the substitution x = 2 sqrt(1 - kappa0) cos(phi): the density becomes 2 sin(phi)^2/pi.
    """
    angle = sp.Symbol("varphi", positive=True)
    height = (2 * sp.sqrt(1 - _K) * (sp.cos(angle) - _COS)) ** power
    return sp.integrate(sp.expand(height * 2 * sp.sin(angle) ** 2 / sp.pi), (angle, 0, _TH))


def perfect_recovery_value(
    kappa0: Any, arithmetic: str = "mpmath", digits: int = 50, freedom: int = 1
) -> Any:
    """a_perf = alpha_perf D at kappa0 > 0, without noise and for lam -> 0+.

    Parameters
    ----------
    kappa0 : exact number (int, Fraction, decimal or fraction string)
    arithmetic : {"float64", "mpmath", "arb"}
        In arb the ball is proven to contain the value.
    digits : int
    freedom : {1, 2}
        2 of a map that is not symmetric.

    Notes
    -----
    theory.md sections 7 and 19. For kappa0 >= 1 it is freedom/2.
    """
    value = Fraction(kappa0)
    if value >= 1:
        return evaluate(sp.Rational(freedom, 2), {}, arithmetic, digits)
    # Multiplied by cos(theta), so that both ends of the bracket are finite.
    equation = (
        sp.expand(sp.expand_trig(freedom * (1 - _K) * RATIO * _COS)).subs(sp.tan(_TH) * _COS, _SIN)
        - _K * _COS
    )
    given = {"kappa0": value}
    return solve_then_evaluate(
        as_function(equation, _TH, given),
        (Fraction(0), Fraction(11, 7)),
        as_function(recovery_value(freedom), _TH, given),
        arithmetic,
        digits,
    )


@cache
def perfect_recovery(freedom: int = 1) -> Derivation:
    """The threshold above which the target is recovered exactly (theory.md sections 7 and 19).

    Parameters
    ----------
    freedom : {1, 2}
        1 for positive maps, 2 for maps that are not symmetric.
    """
    size = cone_size(freedom)
    j_series = sym.q0 - 2 * _TAU * sym.mean_size * sym.delta + sym.delta**2 * size
    stationary = sp.Eq(_K * _TAU, freedom * (1 - _K) * _EXCESS[1], evaluate=False)
    ratio, value = freedom * RATIO, recovery_value(freedom)
    threshold = sp.Rational(freedom, 2) * size
    return Derivation(
        key="perfect-recovery",
        title="Perfect recovery",
        statement=(
            "Without noise and for lam -> 0+, the learned map equals the target exactly when "
            "alpha D > a_perf. The value depends on the rank of the target only, not on its "
            "non-zero eigenvalues."
        ),
        equations={
            "ratio": sp.Eq(_K / (1 - _K), ratio, evaluate=False),
            "value": sp.Eq(sym.a_perf, value, evaluate=False),
            "tau": sp.Eq(_TAU, TAU_STAR, evaluate=False),
        },
        assumptions=(
            f"noise = 0 and kappa0 < 1; at kappa0 >= 1 the value is {sp.Rational(freedom, 2)}",
            "lam -> 0+ after d -> infinity",
            "the fixed point of state evolution with delta -> 0 is the one reached",
        ),
        steps=(
            Step(
                "J(delta, tau delta)",
                "expand the law of S0 + delta Z for small delta: second-order perturbation of the "
                "non-zero eigenvalues, and a semicircle of variance (1 - kappa0) delta^2 for the "
                "null space; excess_n is the integral of (x - tau)^n above tau under the "
                "semicircle of variance 1 - kappa0",
                j_series,
                by_numbers(
                    lambda: _second_order_pairs(freedom),
                    "against the closed form of J at delta = 1e-60",
                ),
            ),
            Step(
                sp.Eq(sym.q0, sym.J - sym.delta * sym.J1 / 2 - sym.epsilon * sym.J2),
                "insert J in the ridgeless equation for Q, epsilon = tau delta: what is left is "
                "that the coefficient of delta^2 is stationary in tau",
                stationary,
                exactly(lambda: _stationarity_difference(freedom)),
            ),
            Step(
                sp.Eq(sym.a, freedom * sym.J1 / (4 * sym.delta), evaluate=False),
                "insert J in the ridgeless equation for a; its tau-derivative has just vanished",
                sp.Eq(sym.a_perf, threshold, evaluate=False),
                exactly(_value_difference),
            ),
            Step(
                stationary,
                "integrate the semicircle with tau = 2 sqrt(1 - kappa0) cos(theta)",
                sp.Eq(_K / (1 - _K), ratio, evaluate=False),
                exactly(lambda: freedom * semicircle_excess(1) / TAU_STAR - ratio),
            ),
            Step(
                sp.Eq(sym.a_perf, threshold, evaluate=False),
                "integrate the semicircle, and use the equation for kappa0 once",
                sp.Eq(sym.a_perf, value, evaluate=False),
                exactly(lambda: _parametric_difference(freedom)),
            ),
        ),
        source="section 7" if freedom == 1 else "section 19",
        numeric=partial(perfect_recovery_value, freedom=freedom),
    )


def _parametric_difference(freedom: int) -> sp.Expr:
    """a_perf from the definition minus the closed form, on the curve kappa0(theta)."""
    size = cone_size(freedom).subs({_EXCESS[2]: semicircle_excess(2), _TAU: TAU_STAR})
    ratio = freedom * RATIO
    difference = sp.Rational(freedom, 2) * size - recovery_value(freedom)
    on_curve = sp.expand(difference).subs(_K, ratio / (1 + ratio))
    return sp.simplify(sp.expand_trig(sp.together(on_curve)))


def _stationarity_difference(freedom: int) -> sp.Expr:
    """d(excess_2)/dtau = -2 excess_1, so the derivative of cone_size is the stated equation."""
    slope = sp.diff(semicircle_excess(2), _TH) / sp.diff(TAU_STAR, _TH)
    derivative = 2 * _K * _TAU + freedom * (1 - _K) * slope
    stated = 2 * (_K * _TAU - freedom * (1 - _K) * semicircle_excess(1))
    return sp.simplify(derivative - stated)


def _value_difference() -> sp.Expr:
    """J1/(4 delta) of delta^2 C(epsilon/delta) is C/2 - tau C'/4."""
    size = sp.Function("C")
    term = sym.delta**2 * size(sym.epsilon / sym.delta)
    left = sp.diff(term, sym.delta).subs(sym.epsilon, _TAU * sym.delta).doit() / (4 * sym.delta)
    slope = sp.diff(size(_TAU), _TAU)
    return sp.simplify(left - size(_TAU) / 2 + _TAU * slope / 4)


def _second_order_pairs(freedom: int) -> list[tuple[Any, Any]]:
    """The second difference of J in delta about 1e-60 against cone_size, at one point.

    The term linear in delta, with the mean size of an eigenvalue, drops out of it.
    """
    digits = 4 * CHECK_DIGITS
    with mpmath.workdps(digits):
        k = mpmath.mpf(3) / 10
        at = {"kappa0": k, "theta": mpmath.mpf(7) / 10}
        tau = evaluate(TAU_STAR, at, "mpmath", digits)
        noise_level = mpmath.mpf(10) ** -60
        curve, total = (WISHART, 1 + k) if freedom == 1 else (PRODUCT, 1)

        def slope(delta: Any) -> Any:
            law = NumericLaw(curve, {"s": mpmath.sqrt(k), "delta": delta}, "mpmath", digits)
            return (freedom * law.J(tau * delta) - total) / delta

        left = (slope(2 * noise_level) - slope(noise_level)) / noise_level
        excess = evaluate(semicircle_excess(2), at, "mpmath", digits)
        right = evaluate(
            cone_size(freedom), {**at, "tau": tau, "excess_2": excess}, "mpmath", digits
        )
    return [(left, right)]
