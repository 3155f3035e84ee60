"""The kernel of any channel that has only a loss."""

from __future__ import annotations

from attlas.model import Channel
from attlas.model.scores import Scores
from attlas.solver.channels.from_loss.drawn import drawn_kernel
from attlas.solver.channels.from_loss.kernel import LossKernel, ReplicatedLossKernel
from attlas.solver.channels.from_loss.line import LineKernel
from attlas.solver.channels.from_loss.residual import ResidualKernel
from attlas.solver.channels.from_loss.residual_loss import residual_loss
from attlas.solver.channels.from_loss.score_loss import score_loss
from attlas.solver.channels.kernel import ChannelKernel

__all__ = ["loss_kernel"]

#: Combinations of scores up to which integrals are sums over a lattice.
_LATTICE = 2


def loss_kernel(
    channel: Channel, scores: Scores, attention: ChannelKernel | None = None
) -> ChannelKernel:
    """The expectations of a channel from its loss alone.

    One token's convex loss of the residual, kinks allowed, is integrated over one variable; other
    losses, which must be smooth, on a lattice, or beyond two combinations of scores on randomised
    nodes. Labels that are drawn are summed over. Rows of independent scores are alike, and two keys
    are one combination: there, jumps of the proximal point are ends of the integrals.

    Raises
    ------
    BadInput
        For a loss that sympy cannot follow, that has a kink where none is allowed, or that is not
        convex though its channel says so.
    """
    one = residual_loss(channel) if scores.symmetric else None
    if one is not None and one.convex:
        return ResidualKernel(channel, one)
    loss = score_loss(channel, scores)
    if channel.outcomes:
        return drawn_kernel(channel, loss, attention)
    if loss.rank == 1 and not scores.symmetric:
        return LineKernel(channel, loss)
    if loss.rank <= _LATTICE:
        return LossKernel(channel, loss, attention=attention)
    return ReplicatedLossKernel(channel, loss, attention=attention)
