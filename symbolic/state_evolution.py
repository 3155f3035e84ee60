"""The six fixed-point equations, by differentiating the free energy and solving.

Nothing here is typed in: every special case is the general derivation applied to other parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.estimators import Estimator
from attlas.symbolic.free_energy import free_energy
from attlas.symbolic.functions import plain

OVERLAPS = (sym.q, sym.m, sym.sigma)
CONJUGATES = (sym.q_hat, sym.m_hat, sym.sigma_hat)


@dataclass(frozen=True)
class StateEvolution:
    """The fixed-point equations of one channel and one estimator.

    Attributes
    ----------
    channel, estimator
    free_energy : sympy.Expr
    stationarity : dict of Symbol to Expr
        The derivative of Phi in each of the six parameters; all vanish at a solution.
    updates : dict of Symbol to Expr
        Right-hand sides, exactly as the derivation leaves them: overlaps in terms of conjugates
        and of J, J1, J2; conjugates in terms of overlaps and of the derivatives of M.
    definitions : dict of Symbol to Expr
        eta, delta, epsilon and the curvature in terms of the conjugates.
    display : dict of Symbol to Expr
        ``updates`` with those definitions folded in, as theory.md writes them.
    """

    channel: Channel
    estimator: Estimator
    free_energy: sp.Expr
    stationarity: dict[sp.Symbol, sp.Expr]
    updates: dict[sp.Symbol, sp.Expr]
    definitions: dict[sp.Symbol, sp.Expr]
    display: dict[sp.Symbol, sp.Expr]


#: Which derivative of Phi fixes which parameter: a conjugate pair is (sigma, q_hat), (m, m_hat),
#: (q, sigma_hat).
PAIRS = {
    sym.q_hat: sym.sigma,
    sym.m_hat: sym.m,
    sym.sigma_hat: sym.q,
    sym.sigma: sym.q_hat,
    sym.m: sym.m_hat,
    sym.q: sym.sigma_hat,
}


@cache
def state_evolution(channel: Channel, estimator: Estimator) -> StateEvolution:
    """Derive the six equations of a channel and an estimator.

    Parameters
    ----------
    channel : Channel
    estimator : Estimator

    Returns
    -------
    StateEvolution
    """
    phi = free_energy(channel, estimator)
    return from_free_energy(channel, estimator, phi)


def from_free_energy(channel: Channel, estimator: Estimator, phi: sp.Expr) -> StateEvolution:
    """Derive the six equations of a given free energy (theory.md section 3)."""
    stationarity = {p: plain(sp.diff(phi, p)) for p in (*OVERLAPS, *CONJUGATES)}
    # Every condition is linear in the parameter it fixes: the pairing is bilinear.
    updates = {p: sp.simplify(sp.solve(stationarity[by], p)[0]) for p, by in PAIRS.items()}
    definitions = _definitions(estimator)
    return StateEvolution(
        channel, estimator, phi, stationarity, updates, definitions, _display(updates, estimator)
    )


def _definitions(estimator: Estimator) -> dict[sp.Symbol, sp.Expr]:
    rule = estimator.denoiser()
    return {
        sym.curvature: rule.curvature,
        sym.eta: sym.m_hat / rule.curvature,
        sym.delta: sp.sqrt(sym.q_hat) / sym.m_hat,
        sym.epsilon: rule.threshold,
    }


def _display(updates: dict[sp.Symbol, sp.Expr], estimator: Estimator) -> dict[sp.Symbol, sp.Expr]:
    """Fold eta, delta and epsilon back in, one exact substitution each."""
    rule = estimator.denoiser()
    extra = sp.simplify(rule.curvature - sym.sigma_hat)
    folded = {}
    for p, update in updates.items():
        if p in CONJUGATES:
            folded[p] = update
            continue
        new = update.subs(sym.sigma_hat, sym.curvature - extra)
        if rule.threshold != 0:
            penalty = next(iter(rule.threshold.free_symbols - {sym.m_hat}))
            solved = sp.solve(sp.Eq(rule.threshold, sym.epsilon), penalty)[0]
            new = new.subs(penalty, solved)
        new = new.subs(sym.q_hat, (sym.delta * sym.m_hat) ** 2)
        if p is not sym.sigma:
            new = new.subs(sym.m_hat, sym.eta * sym.curvature)
        new = sp.simplify(new)
        folded[p] = new.subs(sym.curvature, sym.sigma_hat) if extra == 0 else new
    return folded
