# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""Channels with one token whose loss depends on the residual only: M in closed form from the loss.

A new channel of this kind is one line: ``residual_channel("cubic", loss(r), "...")``.
"""

from __future__ import annotations

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.proximal import proximal

#: The residual y - h that a loss is a function of, as a positive symbol (losses are even).
r = sp.Symbol("r", positive=True)

#: Variance of y - omega: one diagonal score, twice the off-diagonal variance.
RESIDUAL_VARIANCE = 2 * (sym.q_label - 2 * sym.m + sym.q)

_VARIANCE = sp.Symbol("V", positive=True)


def moreau_envelope(loss: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """min over h of loss(y - h) + (h - omega)^2/(4 sigma), as a function of r = |y - omega|.

    Returns
    -------
    below, above, threshold : sympy.Expr
        The envelope for r up to the threshold (where the fit is exact) and above it.
    """
    spread = 2 * sym.sigma
    solved = proximal(loss, r, 1 / spread)
    offset = r**2 / (2 * spread)
    above = sp.factor(solved.value.subs(solved.field, r / spread) + offset)
    return offset, above, sp.simplify(solved.threshold * spread)


def mean_envelope(loss: sp.Expr) -> sp.Expr:
    """M: the mean of the Moreau envelope over the Gaussian law of y - omega."""
    below, above, threshold = moreau_envelope(loss)
    inside = _half_gaussian_mean(below, threshold)
    outside = _half_gaussian_mean(above, sp.oo) - _half_gaussian_mean(above, threshold)
    return sp.expand(inside + outside).subs(_VARIANCE, RESIDUAL_VARIANCE)


def residual_channel(name: str, loss: sp.Expr, text: str) -> Channel:
    """A T = 1 channel y = h(S0) + sqrt(noise) xi with an even convex loss of y - h.

    Parameters
    ----------
    name : str
    loss : sympy.Expr
        In the positive symbol ``r``; even, convex, zero at 0.
    text : str
        The loss in words.
    """
    return Channel(
        name=name,
        label_law="y = h(S0) + sqrt(noise) xi, one diagonal score",
        loss=text,
        label_rank=sp.Integer(1),
        scale=sp.Integer(1),
        closed_form=mean_envelope(loss),
    )


def _half_gaussian_mean(function: sp.Expr, end: sp.Expr) -> sp.Expr:
    """Integral of a function of r = |gap| up to ``end``, gap Gaussian of variance V."""
    if not function.is_polynomial(r):
        density = sp.sqrt(2 / (sp.pi * _VARIANCE)) * sp.exp(-(r**2) / (2 * _VARIANCE))
        return sp.integrate(function * density, (r, 0, end))
    powers = sp.Poly(function, r).as_dict()
    return sp.Add(*(c * _half_gaussian_moment(power, end) for (power,), c in powers.items()))


def _half_gaussian_moment(power: int, end: sp.Expr) -> sp.Expr:
    """Integral of r^power up to ``end``, by parts down to the error function."""
    prefactor = sp.sqrt(2 * _VARIANCE / sp.pi)
    at_end = sp.Integer(0) if end == sp.oo else sp.exp(-(end**2) / (2 * _VARIANCE))
    if power == 0:
        return sp.Integer(1) if end == sp.oo else sp.erf(end / sp.sqrt(2 * _VARIANCE))
    if power == 1:
        return prefactor * (1 - at_end)
    boundary = 0 if end == sp.oo else prefactor * end ** (power - 1) * at_end
    return (power - 1) * _VARIANCE * _half_gaussian_moment(power - 2, end) - boundary
