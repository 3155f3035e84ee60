# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Full collapse: the penalty beyond which nothing is learned."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from attlas.model import LinearChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import arithmetic_named
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.estimators import FACTORISED
from attlas.symbolic.evaluate import Evaluator
from attlas.symbolic.free_convolution import Law, law_of
from attlas.symbolic.state_evolution import state_evolution

#: The largest useful penalty for any channel, with hats at sigma = q = m = 0.
LARGEST = sym.m_hat * sym.x_top / 2

_NOTHING = {sym.sigma: 0, sym.q: 0, sym.m: 0}


def linear_collapse_value(
    alpha: Any,
    law: Law | Any,
    noise: Any = 0,
    arithmetic: str = "mpmath",
    digits: int = 50,
    kurtosis: Any = 0,
) -> Any:
    """The lam_tilde beyond which S = 0 exactly, for the linear channel.

    Parameters
    ----------
    alpha, noise : exact numbers
    law : Law, or exact number
        Of the target; a number is kappa0 of a Wishart one.
    arithmetic, digits : see ``perfect_recovery_value``
    kurtosis : exact number
        Excess kurtosis k of the tokens: with t0 = Tr S0/d the labels have the variance
        2 Q + k t0^2, and S = 0 is pushed by -alpha dM/dt = 2 alpha k t0 (theory.md section 17).
    """
    known = law if isinstance(law, Law) else law_of(Fraction(law))
    numbers = arithmetic_named(arithmetic, digits)
    with numbers.precision():
        samples, fluctuation = numbers.read(Fraction(alpha)), numbers.read(Fraction(kurtosis))
        mean, strength = (Evaluator(numbers, {})(one) for one in (known.mean, known.strength))
        labels = strength + (numbers.read(Fraction(noise)) + fluctuation * mean * mean) / 2
        delta = numbers.power(labels / (2 * samples), numbers.ratio(1, 2))
        revealed = 2 * samples * fluctuation * mean
        return numbers.finish(4 * samples * known.noisy(numbers, delta).bands()[-1][1] + revealed)


@cache
def collapse() -> Derivation:
    """The penalty beyond which the learned map is zero (theory.md section 9)."""
    hats = state_evolution(channel_equations(LinearChannel()), FACTORISED).updates
    start = {p: hats[p].subs(_NOTHING) for p in (sym.q_hat, sym.m_hat)}
    noise_level = sp.simplify(sp.sqrt(start[sym.q_hat]) / start[sym.m_hat])
    return Derivation(
        key="collapse",
        title="Full collapse",
        statement=(
            "S = 0 exactly once epsilon exceeds the top edge x_top of the law of S0 + delta Z, "
            "with delta and m_hat taken at sigma = q = m = 0."
        ),
        equations={
            "general": sp.Eq(sym.lam_tilde, LARGEST, evaluate=False),
            "linear": sp.Eq(sym.lam_tilde, 4 * sym.alpha * sym.x_top, evaluate=False),
            "linear-delta": sp.Eq(sym.delta, noise_level, evaluate=False),
        },
        assumptions=(
            "S = 0 is the stable solution beyond; the last two lines: T = 1, square loss",
        ),
        steps=(
            Step(
                sp.Eq(sym.epsilon, 2 * sym.lam_tilde / sym.m_hat, evaluate=False),
                "set epsilon to the top edge and solve for the penalty",
                sp.Eq(sym.lam_tilde, LARGEST, evaluate=False),
                exactly(lambda: 2 * LARGEST / sym.m_hat - sym.x_top),
            ),
            Step(
                sp.Eq(sym.m_hat, hats[sym.m_hat], evaluate=False),
                "linear channel at sigma = q = m = 0",
                sp.Eq(sym.lam_tilde, 4 * sym.alpha * sym.x_top, evaluate=False),
                exactly(
                    lambda: LARGEST.subs(sym.m_hat, start[sym.m_hat]) - 4 * sym.alpha * sym.x_top
                ),
            ),
        ),
        source="section 9",
        numeric=linear_collapse_value,
    )
