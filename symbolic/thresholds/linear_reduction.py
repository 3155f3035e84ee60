"""One token, square loss: two equations at any penalty."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.model import LinearChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.estimators import FACTORISED
from attlas.symbolic.state_evolution import state_evolution

#: The two equations at any lam_tilde.
SIGNAL = sym.J - sym.delta * sym.J1 - sym.epsilon * sym.J2 + 2 * sym.alpha * sym.delta**2
PENALTY = sym.epsilon * (4 * sym.alpha - sym.J1 / sym.delta)


@cache
def linear_reduction() -> Derivation:
    """The linear channel at any lam_tilde (theory.md section 8)."""
    parts = state_evolution(channel_equations(LinearChannel()), FACTORISED)
    hats, overlaps = parts.updates, parts.display
    noise_level = sp.simplify(hats[sym.q_hat] / hats[sym.m_hat] ** 2)
    return Derivation(
        key="linear",
        title="Linear channel",
        statement=(
            "With one token and square loss, eta = 1 and the six equations reduce to two for "
            "(delta, epsilon) at any penalty."
        ),
        equations={
            "M": sp.Eq(sym.M_value, channel_equations(LinearChannel()).closed_form, evaluate=False),
            "signal": sp.Eq(sym.q_label, SIGNAL, evaluate=False),
            "penalty": sp.Eq(sym.lam_tilde, PENALTY, evaluate=False),
            "mse": sp.Eq(sym.mse, 2 * sym.alpha * sym.delta**2 - sym.noise / 2, evaluate=False),
        },
        assumptions=("T = 1, square loss",),
        steps=(
            Step(
                sp.Eq(sym.eta, sym.m_hat / sym.sigma_hat, evaluate=False),
                "differentiate M: both conjugates are equal",
                sp.Eq(sym.eta, 1, evaluate=False),
                exactly(lambda: hats[sym.m_hat] - hats[sym.sigma_hat]),
            ),
            Step(
                sp.Eq(sym.delta**2, noise_level, evaluate=False),
                "insert q and m at eta = 1",
                sp.Eq(sym.q_label, SIGNAL, evaluate=False),
                exactly(
                    lambda: (
                        sp.solve(
                            (noise_level - sym.delta**2).subs(
                                {
                                    sym.q: overlaps[sym.q].subs(sym.eta, 1),
                                    sym.m: overlaps[sym.m].subs(sym.eta, 1),
                                }
                            ),
                            sym.q_label,
                        )[0]
                        - SIGNAL
                    )
                ),
            ),
            Step(
                sp.Eq(sym.sigma_hat, hats[sym.sigma_hat], evaluate=False),
                "insert sigma = J1/(2 delta sigma_hat) and epsilon = 2 lam_tilde/sigma_hat",
                sp.Eq(sym.lam_tilde, PENALTY, evaluate=False),
                exactly(_penalty_difference),
            ),
        ),
        source="section 8",
    )


def _penalty_difference() -> sp.Expr:
    parts = state_evolution(channel_equations(LinearChannel()), FACTORISED)
    balance = sym.sigma_hat - parts.updates[sym.sigma_hat].subs(sym.sigma, parts.display[sym.sigma])
    curvature = sp.solve(balance, sym.sigma_hat)[0]
    return sp.simplify(sym.epsilon * curvature / 2 - PENALTY)
