"""How the error vanishes at perfect recovery."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, NumericLaw
from attlas.symbolic.functions import Asymptotically
from attlas.symbolic.thresholds.perfect_recovery import RATIO, TAU_STAR

#: Mean of 1/x over the non-zero eigenvalues of the Wishart target.
INVERSE_MEAN = sym.kappa0 ** sp.Rational(3, 2) / (1 - sym.kappa0)

#: Squared error just below the threshold, to leading order, for beta = beta0.
ERROR = 2 * sym.a_perf * ((sym.a_perf - sym.a) / (2 * INVERSE_MEAN * sym.tau)) ** 2


@cache
def critical_behaviour() -> Derivation:
    """delta vanishes linearly and the squared error quadratically (theory.md section 7)."""
    second, third = (sp.Function(name)(sym.epsilon / sym.delta) for name in ("C", "E"))
    term = sym.delta**2 * second + sym.delta**3 * third
    return Derivation(
        key="critical",
        title="Behaviour at perfect recovery",
        statement=(
            "Without noise and for lam -> 0+, just below the threshold delta is proportional to "
            "a_perf - a, and the squared error vanishes quadratically."
        ),
        equations={
            "delta": Asymptotically(
                sym.delta,
                (sym.a_perf - sym.a) / (2 * INVERSE_MEAN * sym.tau),
                evaluate=False,
            ),
            "mse": Asymptotically(sym.mse, ERROR, evaluate=False),
        },
        assumptions=("kappa0 < 1, noise = 0, the Wishart target for the closed mean of 1/x",),
        steps=(
            Step(
                "J to third order in delta",
                "coefficient E of delta^3 at the stationary tau: -2 tau times the mean of 1/x",
                sp.Eq(sym.third, -2 * sym.tau * INVERSE_MEAN, evaluate=False),
                by_numbers(_third_order_pairs, "closed form of J at delta = 1e-60"),
            ),
            Step(
                sp.Eq(sym.a, sym.J1 / (4 * sym.delta), evaluate=False),
                "insert J = q0 - 2 epsilon s + delta^2 C + delta^3 E, and the equation for Q, "
                "which fixes tau C' = -delta (E + tau E')",
                Asymptotically(sym.a, sym.a_perf + sym.third * sym.delta, evaluate=False),
                exactly(lambda: _linear_difference(term)),
            ),
        ),
        source="section 7",
    )


def _linear_difference(term: sp.Expr) -> sp.Expr:
    second, third = (sp.Function(name)(sym.tau) for name in ("C", "E"))

    def at(expression: sp.Expr) -> sp.Expr:
        return expression.subs(sym.epsilon, sym.tau * sym.delta).doit()

    slope, fall = at(sp.diff(term, sym.delta)), at(sp.diff(term, sym.epsilon))
    signal = at(term) - sym.delta * slope / 2 - sym.tau * sym.delta * fall
    pull = sp.solve(signal, sp.diff(second, sym.tau))[0]
    samples = (slope / (4 * sym.delta)).subs(sp.diff(second, sym.tau), pull)
    return sp.simplify(samples - second / 2 - sym.delta * third)


def _third_order_pairs() -> list[tuple[Any, Any]]:
    digits = 5 * CHECK_DIGITS
    with mpmath.workdps(digits):
        theta, small = mpmath.mpf(7) / 10, mpmath.mpf(10) ** -60
        ratio = evaluate(RATIO, {"theta": theta}, "mpmath", digits)
        kappa0 = ratio / (1 + ratio)
        at = {"kappa0": kappa0, "theta": theta}
        tau = evaluate(TAU_STAR, at, "mpmath", digits)
        root = mpmath.sqrt(kappa0)
        values = []
        for scale in (1, 2):
            law = NumericLaw(WISHART, {"s": root, "delta": scale * small}, "mpmath", digits)
            lower = 1 + kappa0 - 2 * tau * root * scale * small
            values.append((law.J(tau * scale * small) - lower) / (scale * small) ** 2)
        third = (values[1] - values[0]) / small
        mean = evaluate(INVERSE_MEAN, at, "mpmath", digits)
        return [(third, -2 * tau * mean)]
