# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
"""The limit lam -> 0+ below interpolation: six equations become two."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Channel
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.estimators import FACTORISED
from attlas.symbolic.state_evolution import StateEvolution, state_evolution

#: beta0/beta: the scale at which the student's labels equal the teacher's.
RATIO = sym.beta0 / sym.beta

#: Mean squared distance, per combination of scores, from omega to the scores that fit the label.
MISFIT = RATIO**2 * sym.q_label - 2 * RATIO * sym.m + sym.q

#: The two equations that remain, as expressions that vanish.
SIGNAL_EQUATION = sp.Eq(
    sym.q_label, sym.J - sym.delta * sym.J1 / 2 - sym.epsilon * sym.J2, evaluate=False
)
SAMPLE_EQUATION = sp.Eq(sym.a, sym.J1 / (4 * sym.delta), evaluate=False)


def interpolating_channel() -> Channel:
    """Any channel in the limit of large sigma: M = D misfit/(2 sigma)."""
    return Channel(
        name="interpolating",
        label_law="any label that determines D combinations of scores",
        loss="zero on the scores that fit the label exactly",
        label_rank=sym.label_rank,
        scale=RATIO,
        closed_form=sym.label_rank * MISFIT / (2 * sym.sigma),
    )


@cache
def _equations() -> StateEvolution:
    return state_evolution(interpolating_channel(), FACTORISED)


@cache
def ridgeless() -> Derivation:
    """lam -> 0+ below interpolation, for any channel (theory.md section 7)."""
    hats = _equations().updates
    eta = sp.simplify(hats[sym.m_hat] / hats[sym.sigma_hat])
    noise_level = sp.simplify(hats[sym.q_hat] / hats[sym.m_hat] ** 2)
    overlaps = _equations().display
    norm = overlaps[sym.q].subs(sym.eta, RATIO)
    alignment = overlaps[sym.m].subs(sym.eta, RATIO)
    misfit = sym.alpha * sym.label_rank * 2 * RATIO**2 * sym.delta**2
    return Derivation(
        key="ridgeless",
        title="Ridgeless limit below interpolation",
        statement=(
            "For lam -> 0+ and alpha below interpolation the training error vanishes, sigma "
            "diverges as 1/lam_tilde, and two equations in (delta, epsilon) remain. They contain "
            "the number of tokens only through a = alpha D."
        ),
        equations={
            "signal": SIGNAL_EQUATION,
            "samples": SAMPLE_EQUATION,
            "q": sp.Eq(sym.q, norm, evaluate=False),
            "m": sp.Eq(sym.m, alignment, evaluate=False),
            "mse": sp.Eq(sym.mse, 2 * sym.a * sym.delta**2 - sym.noise / 2, evaluate=False),
        },
        assumptions=(
            "alpha is below the interpolation threshold, where sigma diverges",
            "the squared error is stated for beta = beta0",
        ),
        steps=(
            Step(
                "M(sigma, m, q)",
                "for large sigma the proximal step fits the label exactly and moves as little as "
                "possible: the Moreau envelope is the squared distance to the fitting scores over "
                "2 sigma, in D independent directions",
                sym.label_rank * MISFIT / (2 * sym.sigma),
                by_numbers(_envelope_pairs, "two-token softmax envelope at sigma = 1e60"),
            ),
            Step(
                "hats of this M",
                "differentiate: eta = m_hat/sigma_hat",
                sp.Eq(sym.eta, eta, evaluate=False),
                exactly(lambda: eta - RATIO),
            ),
            Step(
                sp.Eq(sym.delta**2, noise_level, evaluate=False),
                "differentiate: delta^2 = q_hat/m_hat^2 gives the misfit",
                sp.Eq(sym.misfit, misfit, evaluate=False),
                exactly(lambda: noise_level * 2 * sym.alpha * sym.label_rank * RATIO**2 - MISFIT),
            ),
            Step(
                sp.Eq(sym.sigma, overlaps[sym.sigma], evaluate=False),
                "insert sigma_hat: sigma cancels",
                SAMPLE_EQUATION,
                exactly(_sample_difference),
            ),
            Step(
                sp.Eq(MISFIT, misfit, evaluate=False),
                "insert q, m and the equation for a",
                SIGNAL_EQUATION,
                exactly(_signal_difference),
            ),
            Step(
                sp.Eq(sym.mse, sym.q - 2 * sym.m + sym.q0, evaluate=False),
                "for beta = beta0 the misfit is q - 2m + Q, and Q = q0 + noise/2",
                sp.Eq(sym.mse, 2 * sym.a * sym.delta**2 - sym.noise / 2, evaluate=False),
                exactly(_error_difference),
            ),
        ),
        source="section 7",
    )


def _sample_difference() -> sp.Expr:
    equations = _equations()
    right = equations.display[sym.sigma].subs(sym.sigma_hat, equations.updates[sym.sigma_hat])
    samples = sp.solve(sp.Eq(sym.sigma, right), sym.alpha)[0]
    return samples * sym.label_rank - SAMPLE_EQUATION.rhs


def _signal_difference() -> sp.Expr:
    overlaps = {p: _equations().display[p].subs(sym.eta, RATIO) for p in (sym.q, sym.m)}
    misfit = MISFIT.subs(overlaps) - 2 * RATIO**2 * sym.delta**2 * SAMPLE_EQUATION.rhs
    return sp.solve(misfit, sym.q_label)[0] - SIGNAL_EQUATION.rhs


def _error_difference() -> sp.Expr:
    equal = {sym.beta: sym.beta0}
    error = MISFIT.subs(equal) - sym.noise / 2
    return error.subs(sym.q_label, sym.q0 + sym.noise / 2) - (sym.q - 2 * sym.m + sym.q0)


def _envelope_pairs() -> list[tuple[Any, Any]]:
    """2 sigma min over (u, v) of the two-token problem at sigma = 1e60, against the distance.

    One Newton step from the exact fit is exact to O(1/sigma).
    """
    with mpmath.workdps(4 * CHECK_DIGITS):
        beta, beta0, large = mpmath.mpf(3) / 4, mpmath.mpf(4) / 3, mpmath.mpf(10) ** 60
        label, field = mpmath.matrix([1, mpmath.mpf(-2) / 3]), mpmath.matrix(["0.3", "0.9"])
        metric = mpmath.matrix([[3, -1], [-1, 3]]) / 8

        def logistic(t: Any) -> Any:
            return 1 / (1 + mpmath.exp(-t))

        fit = label * (beta0 / beta)
        pull = metric * (fit - field) / large
        curvature = metric / large
        for i in range(2):
            slope = beta * logistic(beta * fit[i]) * (1 - logistic(beta * fit[i]))
            curvature[i, i] += 4 * slope**2
        point = fit - mpmath.lu_solve(curvature, pull)
        loss = sum(
            2 * (logistic(beta0 * label[i]) - logistic(beta * point[i])) ** 2 for i in range(2)
        )
        gap = point - field
        envelope = loss + (gap.T * metric * gap)[0] / (2 * large)
        distance = ((fit - field).T * metric * (fit - field))[0]
        return [(2 * large * envelope, distance)]
