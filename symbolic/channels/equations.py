# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false
"""Of any channel, what the free energy needs, from its loss."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.model import channels
from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.channels.loss import in_symbols, loss_of, symmetric
from attlas.symbolic.channels.residual import mean_envelope, r


def channel_loss(channel: channels.Channel) -> sp.Expr:
    """The loss of scores h_ab beside the labels of z_ab; parameters of the notation are symbols."""
    behind, scores = (symmetric(letter, channel.tokens).tolist() for letter in "zh")
    return loss_of(in_symbols(channel), behind, scores)


@cache
def channel_equations(channel: channels.Channel) -> Channel:
    """The channel as the free energy needs it: M is closed where its mean is a known integral.

    Parameters
    ----------
    channel : attlas.model.Channel
        Those of its parameters that the theory's notation has stay symbols.
    """
    return Channel(
        name=channel.name,
        label_law=channel.label_law,
        loss=channel.loss_law or str(channel_loss(channel)),
        label_rank=sp.Integer(channel.label_rank),
        scale=sp.sympify(in_symbols(channel).scale),
        closed_form=_closed(channel) if channel.tokens < 2 else None,
    )


def _closed(channel: channels.Channel) -> sp.Expr | None:
    """M of an even loss of the residual whose proximal point is linear in it."""
    general, h = in_symbols(channel), sp.Symbol("h", real=True)
    loss = loss_of(general, [[r]], [[0]])
    others = (loss_of(general, [[h]], [[h + r]]), loss_of(general, [[h + r]], [[h]]))
    if any(sp.simplify(loss - other) != 0 for other in others):
        return None
    return mean_envelope(loss) if loss.is_polynomial(r) and sp.degree(loss, r) <= 2 else None
