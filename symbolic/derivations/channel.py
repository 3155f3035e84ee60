# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""Channels, step by step: invariances, basis, envelope and Stein forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy as sp

from attlas.model import Channel, LinearChannel, SoftmaxChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Softmax, channel_equations, channel_loss
from attlas.symbolic.channels.residual import moreau_envelope, r
from attlas.symbolic.channels.unimodality import unimodality_bound
from attlas.symbolic.derivation import Check, Derivation, Step, exactly
from attlas.symbolic.derivations.stein import (
    TILT,
    linear_envelope_check,
    linear_stein_check,
    polynomial_stein_check,
)
from attlas.symbolic.derivations.two_tokens import (
    U,
    two_token_envelope_check,
    two_token_loss,
    two_token_loss_check,
    unimodality_steps,
)
from attlas.symbolic.functions import PairMean

_G, _B = sym.g_ab, sym.b_ab
_WEIGHT, _SPREAD = sym.pair_weight, sym.spread
_GAUSSIAN = (
    "scores are Gaussian, independent over a <= b, of variance (1 + delta_ab) times "
    "[[Q, m], [m, q]]",
    "h* is the global minimum of the proximal problem; the derivative (Stein) forms need it to be "
    "continuous, the envelope forms do not",
)


def _hat_equations() -> dict[str, sp.Basic]:
    """The conjugates for any channel, in envelope form and in derivative form."""
    return {
        "spread": sp.Eq(_SPREAD, sp.sqrt(sym.q - sym.m**2 / sym.q_label), evaluate=False),
        "q_hat": sp.Eq(sym.q_hat, 2 * sym.alpha * PairMean(_WEIGHT * _G**2), evaluate=False),
        "m_hat": sp.Eq(sym.m_hat, 2 * sym.alpha * PairMean(_G * TILT), evaluate=False),
        "sigma_hat": sp.Eq(
            sym.sigma_hat, -4 * sym.alpha * PairMean(_G * _B / (2 * _SPREAD)), evaluate=False
        ),
        "m_hat-stein": sp.Eq(
            sym.m_hat, 2 * sym.alpha * PairMean(_WEIGHT * sym.dg_dz), evaluate=False
        ),
        "sigma_hat-stein": sp.Eq(
            sym.sigma_hat, -2 * sym.alpha * PairMean(_WEIGHT * sym.dg_domega), evaluate=False
        ),
    }


@cache
def channel_derivation(channel: Channel) -> Derivation:
    """A channel, step by step: as it is told for it, else what follows from any loss."""
    return _TOLD.get(type(channel), _loss_derivation)(channel)


def _loss_derivation(channel: Channel) -> Derivation:
    """Any channel: its loss, the pull of each score, and the conjugates (theory.md section 3)."""
    loss, closed = channel_loss(channel), channel_equations(channel).closed_form
    symbols = [s for s in sorted(loss.free_symbols, key=str) if isinstance(s, sp.Symbol)]
    scores = [s for s in symbols if s.name.startswith("h_")]
    equations: dict[str, sp.Basic] = {
        "label_rank": sp.Eq(sym.label_rank, channel.label_rank, evaluate=False),
        "loss": sp.Eq(sp.Symbol("loss"), loss, evaluate=False),
        **({} if closed is None else {"M": sp.Eq(sym.M_value, closed, evaluate=False)}),
        **{
            f"pull-{h.name}": sp.Eq(
                sp.Derivative(sp.Symbol("loss"), h), sp.diff(loss, h), evaluate=False
            )
            for h in scores
        },
        **_hat_equations(),
    }
    return Derivation(
        key="channel",
        title=f"{channel.name} channel, T = {channel.tokens}",
        statement=(
            f"{channel.label_law}, written z where the label is made of it; the loss is "
            f"{channel.loss_law or loss}. The derivatives of M are means of "
            "g_ab = (h* - omega)_ab/(sigma (1 + delta_ab)), with h* the proximal point, "
            "z0 = sqrt(Q) a and omega = (m/sqrt(Q)) a + sigma_omega b."
        ),
        equations=equations,
        assumptions=_GAUSSIAN,
        steps=tuple(_envelope_steps(two_token_envelope_check(), None)),
        source="section 3",
    )


@cache
def linear_derivation() -> Derivation:
    """The linear channel: M in closed form (theory.md section 1)."""
    _below, above, _ = moreau_envelope(r**2)
    closed = channel_equations(LinearChannel()).closed_form
    equations = {
        "envelope": sp.Eq(sp.Symbol("envelope"), above, evaluate=False),
        "M": sp.Eq(sym.M_value, closed, evaluate=False),
        **_hat_equations(),
    }
    return Derivation(
        key="channel",
        title="Linear channel (one token, square loss)",
        statement=(
            "y = h(S0) + sqrt(noise) xi with one diagonal score; the loss is (y - h)^2, r is "
            "|y - omega|, and a label sees D = 1 combination of scores."
        ),
        equations=equations,
        assumptions=("scores are Gaussian, with variance 2 Q, 2 q and covariance 2 m",),
        steps=(
            Step(
                "min over h of (y - h)^2 + (h - omega)^2/(4 sigma)",
                "minimise (y - h)^2 + (h - omega)^2/(4 sigma) over h: the residual shrinks by "
                "1 + 4 sigma",
                equations["envelope"],
                exactly(lambda: above - _square_envelope()),
            ),
            Step(
                equations["envelope"],
                "average over r^2, whose mean is 2 (Q - 2m + q)",
                equations["M"],
                exactly(
                    lambda: closed - above.subs(r, sp.sqrt(2 * (sym.q_label - 2 * sym.m + sym.q)))
                ),
            ),
            *_envelope_steps(linear_envelope_check(), linear_stein_check()),
        ),
        source="section 1",
    )


@cache
def softmax_derivation(tokens: int) -> Derivation:
    """The softmax channel of T tokens (theory.md section 4)."""
    softmax = Softmax(tokens)
    size = sp.Integer(tokens)
    equations: dict[str, sp.Basic] = {
        "label_rank": sp.Eq(sym.label_rank, sp.Integer(softmax.label_rank), evaluate=False),
        "basis": softmax.basis.as_immutable(),
        **_hat_equations(),
    }
    steps = [
        Step(
            "Jacobian of the T^2 labels in the T(T+1)/2 scores",
            "row a of the labels is blind to a constant added to row a of the scores; symmetry "
            "makes the constants equal, so one direction is lost",
            sp.Eq(sym.label_rank, (size**2 + size - 2) / 2, evaluate=False),
            exactly(
                lambda: (
                    sp.Integer(softmax.label_rank - (tokens**2 + tokens - 2) // 2)
                    + sp.Integer(len(softmax.invariances) - 1) ** 2
                )
            ),
        ),
        Step(
            "scores h_ab, a <= b, with metric h^2/(1 + delta_ab)",
            "Gram-Schmidt on the complement of the lost direction: h = E zeta, zeta independent",
            softmax.basis,
            exactly(lambda: _orthonormality(softmax)),
        ),
        *_envelope_steps(two_token_envelope_check(), None),
    ]
    if tokens == 2:
        bound = unimodality_bound()
        equations["loss"] = sp.Eq(sp.Symbol("loss"), two_token_loss(), evaluate=False)
        equations["gradient"] = sp.Eq(
            sp.Derivative(sp.Symbol("loss"), U), sp.diff(two_token_loss(), U), evaluate=False
        )
        steps.append(
            Step(
                softmax.loss,
                "a row of two entries depends on one difference: u = h_11 - h_12, v = h_22 - h_12",
                equations["loss"],
                two_token_loss_check(softmax),
            )
        )
        equations["unimodality"] = sp.Lt(sym.sigma * sym.beta**2, bound, evaluate=False)
        steps += unimodality_steps(bound)
    return Derivation(
        key="channel",
        title=f"Softmax channel, T = {tokens}",
        statement=(
            "y = softmax_rows(beta0 (h(S0) + sqrt(noise) xi)); the loss is the sum over all "
            "ordered (a, b) of (y - softmax_rows(beta h))_ab^2. M has no closed form; its "
            "derivatives are means of g_ab = (h* - omega)_ab/(sigma (1 + delta_ab)), with h* the "
            "proximal point, z0 = sqrt(Q) a and omega = (m/sqrt(Q)) a + sigma_omega b. The rows "
            "of the basis are the scores h_ab, a <= b, in lexicographic order."
        ),
        equations=equations,
        assumptions=_GAUSSIAN,
        steps=tuple(steps),
        source="sections 3 and 4",
    )


def _envelope_steps(envelope: Check, stein: Check | None) -> list[Step]:
    hats = _hat_equations()
    return [
        Step(
            "derivatives of M in m and q",
            "envelope theorem: h* is stationary, so only the explicit dependence on omega and "
            "sigma counts; omega depends on m and q through the Gaussian variables a and b",
            hats["m_hat"],
            envelope,
        ),
        Step(
            hats["m_hat"],
            "integrate by parts over a and b (Stein's lemma), for a continuous proximal map",
            hats["m_hat-stein"],
            stein or polynomial_stein_check(),
        ),
    ]


def _square_envelope() -> sp.Expr:
    """min over the fitted residual f of f^2 + (f - r)^2/(4 sigma)."""
    fitted = sp.Symbol("f", real=True)
    objective = fitted**2 + (fitted - r) ** 2 / (4 * sym.sigma)
    best = sp.solve(sp.diff(objective, fitted), fitted)[0]
    return objective.subs(fitted, best)


def _orthonormality(softmax: Softmax) -> sp.Expr:
    """Squared distance of E^T metric^-1 E from the identity, and of E^T metric^-1 1 from zero."""
    inverse = sp.diag(*(sp.Rational(1, weight) for weight in softmax.metric))
    gram = softmax.basis.T * inverse * softmax.basis - sp.eye(softmax.label_rank)
    lost = softmax.basis.T * inverse * softmax.invariances[0]
    return sp.Add(*(entry**2 for entry in (*gram, *lost)))


#: Channels with a derivation of their own.
_TOLD: dict[type[Channel], Callable[[Any], Derivation]] = {
    LinearChannel: lambda _: linear_derivation(),
    SoftmaxChannel: lambda channel: softmax_derivation(channel.tokens),
}
