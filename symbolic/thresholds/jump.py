# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Recovery by a jump, for targets of full rank with kappa0 > 1."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, closed_forms
from attlas.symbolic.functions import Im

#: Squared error just below alpha D = 1/2.
JUMP = (
    sym.kappa0**2
    - 20 * sym.kappa0
    - 8
    + sp.sqrt(sym.kappa0) * (sym.kappa0 + 8) ** sp.Rational(3, 2)
) / (8 * sym.kappa0)


def jump_value(kappa0: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """delta_c^2, the squared error just below alpha D = 1/2, for kappa0 >= 1.

    Raises
    ------
    BadInput
        For kappa0 < 1, where recovery is continuous.
    """
    if Fraction(kappa0) < 1:
        raise BadInput("kappa0", kappa0, "must be 1 or more for the jump", "recovery is smooth")
    return evaluate(JUMP, {"kappa0": kappa0}, arithmetic, digits)


@cache
def jump() -> Derivation:
    """The squared error that vanishes at once at alpha D = 1/2 (theory.md section 7)."""
    free = sym.q0 + sym.delta**2
    signal = free - sym.delta * sp.diff(free, sym.delta) / 2
    touching = sp.discriminant(WISHART.parameter_polynomial().as_expr().subs(sym.z, 0), sym.u)
    return Derivation(
        key="jump",
        title="Recovery by a jump",
        statement=(
            "For kappa0 > 1, without noise and for lam -> 0+, the squared error stays at "
            "delta_c^2 or above until alpha D = 1/2 and is zero beyond."
        ),
        equations={"jump": sp.Eq(sym.delta_c**2, JUMP, evaluate=False)},
        assumptions=("noise = 0, lam -> 0+, the Wishart target with kappa0 >= 1",),
        steps=(
            Step(
                "J(delta, 0)",
                "while the law of S0 + delta Z has no mass below 0 the PSD constraint does not "
                "act, and J is the full second moment",
                free,
                exactly(lambda: _full_moment() - free.subs(sym.q0, 1 + sym.s**2)),
            ),
            Step(
                sp.Eq(sym.q_label, sym.J - sym.delta * sym.J1 / 2, evaluate=False),
                "the equation for Q then holds for every delta, and the equation for a gives 1/2",
                sp.Eq(sym.a, sp.Rational(1, 2), evaluate=False),
                exactly(
                    lambda: (
                        (signal - sym.q0) ** 2
                        + (sp.diff(free, sym.delta) / (4 * sym.delta) - sp.Rational(1, 2)) ** 2
                    )
                ),
            ),
            Step(
                sp.Eq(touching, 0, evaluate=False),
                "this ends where the lower edge touches 0: the discriminant of the cubic at z = 0 "
                "vanishes; the squared error is 2 a delta^2 = delta^2",
                sp.Eq(sym.delta_c**2, JUMP, evaluate=False),
                exactly(
                    lambda: touching.subs(sym.s, sp.sqrt(sym.kappa0)).subs(sym.delta, sp.sqrt(JUMP))
                ),
            ),
        ),
        source="section 7",
        numeric=jump_value,
    )


def _full_moment() -> sp.Expr:
    """The second moment from the closed form, with every angle at its value below the spectrum."""
    forms = closed_forms(WISHART)
    below = {a.symbol: (a.left * sp.pi if a.pole == 0 else 0) for a in forms.angles}
    return forms.J.subs(sym.epsilon, 0).replace(Im, lambda _: sp.Integer(0)).subs(below)
