# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""When the spectrum of S0 + delta Z has two bands, and where the gap opens."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART

#: kappa0^(1/3), in which everything here is rational.
_C = sp.Symbol("c", positive=True)

#: Two bands iff this is below 1.
CONDITION = sym.kappa0 * (1 + sym.delta ** sp.Rational(2, 3)) ** 3

#: The largest noise level with two bands.
CRITICAL_DELTA = (sym.kappa0 ** sp.Rational(-1, 3) - 1) ** sp.Rational(3, 2)

#: Where the gap opens.
OPENING = (
    (1 - sym.kappa0 ** sp.Rational(1, 3)) ** 2
    * (2 + sym.kappa0 ** sp.Rational(1, 3))
    / sp.sqrt(sym.kappa0)
)


def critical_noise_level(kappa0: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """The delta below which there are two bands, for 0 < kappa0 < 1.

    Raises
    ------
    ValueError
        For kappa0 >= 1, where there is one band at every delta.
    """
    if Fraction(kappa0) >= 1:
        raise ValueError(f"kappa0 = {kappa0}: two bands need kappa0 < 1")
    return evaluate(CRITICAL_DELTA, {"kappa0": kappa0}, arithmetic, digits)


@cache
def bands() -> Derivation:
    """Two bands iff kappa0 (1 + delta^(2/3))^3 < 1 (theory.md section 9)."""
    slope = sp.diff(WISHART.position, sym.u)
    bend = sp.diff(slope, sym.u)
    return Derivation(
        key="bands",
        title="Two bands",
        statement=(
            "For the Wishart target the law of S0 + delta Z has two bands, of masses 1 - kappa0 "
            "and kappa0, exactly while kappa0 (1 + delta^(2/3))^3 < 1. A threshold epsilon in the "
            "gap gives a learned map of rank exactly kappa0."
        ),
        equations={
            "condition": sp.Lt(CONDITION, 1, evaluate=False),
            "critical-delta": sp.Eq(sym.delta, CRITICAL_DELTA, evaluate=False),
            "opening": sp.Eq(sym.x, OPENING, evaluate=False),
            "edges": sp.Eq(WISHART.edge_polynomial().as_expr(), 0, evaluate=False),
        },
        assumptions=("the Wishart target, kappa0 < 1",),
        steps=(
            Step(
                sp.Eq(sym.z, WISHART.position, evaluate=False),
                "band edges are the real critical points of z(u); two of them meet where the "
                "second derivative vanishes too",
                sp.Eq(sp.together(bend), 0, evaluate=False),
                exactly(lambda: bend.subs(_meeting())),
            ),
            Step(
                sp.Eq(sp.together(bend), 0, evaluate=False),
                "(s - u)^3 = -s^2 u^3 has one real root: u = s/(1 - kappa0^(1/3))",
                sp.Eq(sym.u, sym.s / (1 - sym.s ** sp.Rational(2, 3)), evaluate=False),
                exactly(lambda: (((sym.s - sym.u) ** 3) + sym.s**2 * sym.u**3).subs(_meeting())),
            ),
            Step(
                sp.Eq(slope, 0, evaluate=False),
                "solve for delta at this u: delta^(2/3) = kappa0^(-1/3) - 1",
                sp.Eq(sym.delta, CRITICAL_DELTA, evaluate=False),
                exactly(lambda: slope.subs(_meeting()).subs(sym.delta**2, _delta_squared())),
            ),
            Step(
                sp.Eq(sym.x, WISHART.position, evaluate=False),
                "insert u and delta",
                sp.Eq(sym.x, OPENING, evaluate=False),
                exactly(
                    lambda: (
                        WISHART.position.subs(_meeting()).subs(sym.delta**2, _delta_squared())
                        - OPENING.subs(sym.kappa0, _C**3)
                    )
                ),
            ),
        ),
        source="section 9",
        numeric=critical_noise_level,
    )


def _meeting() -> dict[sp.Symbol, sp.Expr]:
    """u and s at the opening, rational in kappa0^(1/3) up to s = c^(3/2)."""
    root = _C ** sp.Rational(3, 2)
    return {sym.u: root / (1 - _C), sym.s: root}


def _delta_squared() -> sp.Expr:
    return (1 / _C - 1) ** 3
