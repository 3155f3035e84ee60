# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Direct training: the equations with a Frobenius penalty, and where they recover."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.model import SoftmaxChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.estimators import DIRECT, DIRECT_PSD
from attlas.symbolic.state_evolution import StateEvolution, state_evolution
from attlas.symbolic.thresholds.reduction import MISFIT, interpolating_channel

#: Noiseless, ridgeless squared error without the positivity constraint, for beta = beta0.
ERROR = sym.q0 * (1 - 2 * sym.a)


@cache
def direct_training() -> Derivation:
    """State evolution of both kinds of direct training (theory.md section 11)."""
    free, positive = (
        state_evolution(channel_equations(SoftmaxChannel(2)), estimator)
        for estimator in (DIRECT, DIRECT_PSD)
    )
    limit = state_evolution(interpolating_channel(), DIRECT)
    equations = {"curvature": sp.Eq(sym.curvature, free.definitions[sym.curvature], evaluate=False)}
    for name, parts in (("direct", free), ("direct-psd", positive)):
        for p in (sym.q, sym.m, sym.sigma):
            equations[f"{name}-{p.name}"] = sp.Eq(p, parts.display[p], evaluate=False)
    equations["ridgeless-error"] = sp.Eq(sym.mse, ERROR, evaluate=False)
    return Derivation(
        key="direct",
        title="Direct (unfactorised) training",
        statement=(
            "A Frobenius penalty on a symmetric map shrinks every eigenvalue by the same factor "
            "and never sets one to zero: without the PSD constraint only q0 of the target enters, "
            "and without noise recovery comes at alpha D = 1/2 whatever the rank."
        ),
        equations=equations,
        assumptions=(
            "J and J1 are taken at (delta, 0) for PSD maps; eta = m_hat/curvature",
            "the last formula: noise = 0, lam_f -> 0+, beta = beta0, alpha D < 1/2",
        ),
        steps=(
            Step(
                free.free_energy,
                "differentiate in the conjugates and solve; the penalty adds 2 lam_f to sigma_hat",
                equations["direct-q"],
                exactly(lambda: free.updates[sym.q] - _unfolded(free)),
            ),
            Step(
                positive.free_energy,
                "the same, with the second moment of the positive part in place of q0 + delta^2",
                equations["direct-psd-m"],
                exactly(
                    lambda: (positive.updates[sym.m] - free.updates[sym.m]).subs(
                        {
                            sym.J: sym.q0 + sym.q_hat / sym.m_hat**2,
                            sym.J1: 2 * sp.sqrt(sym.q_hat) / sym.m_hat,
                        }
                    )
                ),
            ),
            Step(
                "lam_f -> 0+ below interpolation",
                "sigma diverges as 1/lam_f with M = D misfit/(2 sigma); then 2 a sigma_hat "
                "replaces the curvature, and q, m give a linear equation for the squared error",
                equations["ridgeless-error"],
                exactly(lambda: _ridgeless_difference(limit)),
            ),
        ),
        source="section 11",
    )


def _unfolded(parts: StateEvolution) -> sp.Expr:
    """The displayed q with eta, delta and the curvature written out."""
    shown = parts.display[sym.q]
    for symbol in (sym.eta, sym.delta):
        shown = shown.subs(symbol, parts.definitions[symbol])
    return shown


def _ridgeless_difference(limit: StateEvolution) -> sp.Expr:
    """Solve the six equations with misfit/2 sigma for the misfit, at noise = 0 and beta = beta0."""
    samples = {sym.alpha: sym.a / sym.label_rank, sym.beta: sym.beta0, sym.q_label: sym.q0}
    hats = {p: limit.updates[p].subs(samples) for p in (sym.q_hat, sym.m_hat, sym.sigma_hat)}
    # 1/sigma = sigma_hat + 2 lam_f fixes the curvature as sigma_hat/(2 a).
    curvature = hats[sym.sigma_hat] / (2 * sym.a)
    misfit = sym.misfit
    noise = sp.simplify(hats[sym.q_hat] / MISFIT.subs(samples)) * misfit
    norm = (hats[sym.m_hat] ** 2 * sym.q0 + noise) / curvature**2
    alignment = hats[sym.m_hat] * sym.q0 / curvature
    solved = sp.solve(sp.Eq(misfit, sym.q0 - 2 * alignment + norm), misfit)[0]
    return sp.simplify(solved - ERROR)
