"""From the parts of a problem to its six equations, step by step."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Channel
from attlas.symbolic.derivation import Derivation, Step, exactly
from attlas.symbolic.estimators import Estimator
from attlas.symbolic.functions import plain
from attlas.symbolic.state_evolution import (
    CONJUGATES,
    OVERLAPS,
    PAIRS,
    StateEvolution,
    state_evolution,
)


@cache
def state_evolution_derivation(channel: Channel, estimator: Estimator) -> Derivation:
    """The six fixed-point equations of any channel and estimator (theory.md section 3)."""
    parts = state_evolution(channel, estimator)
    equations: dict[str, sp.Basic] = {
        "free-energy": sp.Eq(sym.phi, parts.free_energy, evaluate=False)
    }
    for group in (parts.display, parts.definitions):
        for symbol, right in group.items():
            if symbol is not sym.curvature or right != sym.sigma_hat:
                equations[symbol.name] = sp.Eq(symbol, right, evaluate=False)
    return Derivation(
        key="state-evolution",
        title=f"State evolution: {channel.name} channel, {estimator.name} estimator",
        statement=(
            "As d -> infinity with n = alpha d^2, every property of the trained map follows from "
            "six numbers that make the free energy stationary; its value there is the limit of "
            f"min L/d^2. Labels: {channel.label_law}. Loss: {channel.loss}. "
            f"Estimator: {estimator.description}."
        ),
        equations=equations,
        assumptions=(
            "replica-symmetric (statistical-physics) free energy; exact for convex problems, a "
            "conjecture otherwise, valid where the replicon is below 1",
            "scores are jointly Gaussian: no eigenvalue of S0 carries a finite share of Tr S0^2",
        ),
        steps=(_energy_step(parts), _denoiser_step(parts), *_stationarity_steps(parts)),
        source=_source(estimator),
    )


def _source(estimator: Estimator) -> str:
    if estimator.freedom > 1:
        return "sections 3 and 19"
    return "sections 3 and 11" if estimator.penalty.has(sym.lam_f) else "section 3"


def _energy_step(parts: StateEvolution) -> Step:
    return Step(
        "lim E[min L]/d^2",
        "replica method: decouple samples (term M) and matrix (term with J) by order parameters "
        "and their conjugates",
        sp.Eq(sym.phi, parts.free_energy, evaluate=False),
    )


def _denoiser_step(parts: StateEvolution) -> Step:
    rule = parts.estimator.denoiser()
    learned = sym.learned
    field = sym.sigma_hat * learned**2 / 4 - sym.m_hat * sym.x * learned / 2
    effective = parts.estimator.freedom * field + parts.estimator.penalty.subs(sym.x, learned)
    return Step(
        effective,
        "minimise over the learned eigenvalue for an eigenvalue x of S0 + delta Z (0 where the "
        "result is negative and S must be positive); the minimum, averaged over x, is the matrix "
        "term",
        sp.Eq(learned, rule.learned, evaluate=False),
        exactly(
            lambda: (
                sp.diff(effective, learned).subs(learned, rule.learned) ** 2
                + (
                    effective.subs(learned, rule.learned)
                    + rule.amplitude * (sym.x - rule.threshold) ** 2
                )
                ** 2
            )
        ),
    )


def _stationarity_steps(parts: StateEvolution) -> list[Step]:
    steps = []
    for symbol in (*OVERLAPS, *CONJUGATES):
        by = PAIRS[symbol]
        steps.append(
            Step(
                sp.Eq(sp.Derivative(sym.phi, by), 0, evaluate=False),
                f"differentiate the free energy in {by.name} and solve",
                sp.Eq(symbol, parts.display[symbol], evaluate=False),
                exactly(lambda symbol=symbol, by=by: _remainder(parts, symbol, by)),
            )
        )
    return steps


def _remainder(parts: StateEvolution, symbol: sp.Symbol, by: sp.Symbol) -> sp.Expr:
    """The derivative of Phi with the displayed equation put in, definitions written out."""
    right = parts.display[symbol]
    for defined in (sym.eta, sym.delta, sym.epsilon, sym.curvature):
        right = right.subs(defined, parts.definitions[defined])
    return plain(sp.diff(parts.free_energy, by)).subs(symbol, right)
