"""Gaussian expectations of each channel's proximal operator: one kernel a channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attlas.model import LinearChannel, SoftmaxChannel
from attlas.model.channels import Channel
from attlas.model.errors import BadInput
from attlas.model.scores import Scores
from attlas.solver.channels.kernel import (
    TEST_ACCURACY,
    ChannelKernel,
    ChannelMoments,
    PopulationKernel,
    PopulationLoss,
    ReplicatedKernel,
    ScoreTokens,
    TestErrors,
    TokenKernel,
)
from attlas.solver.channels.linear import LinearKernel
from attlas.solver.channels.two_tokens.kernel import TwoTokenKernel

__all__ = [
    "KERNELS",
    "TEST_ACCURACY",
    "ChannelKernel",
    "ChannelMoments",
    "PopulationKernel",
    "PopulationLoss",
    "ReplicatedKernel",
    "ScoreTokens",
    "TestErrors",
    "channel_kernel",
    "require_slope",
]


def _softmax(channel: SoftmaxChannel) -> ChannelKernel:
    beta, beta0, noise = float(channel.beta), float(channel.beta0), float(channel.noise)
    if channel.tokens == 2:
        return TwoTokenKernel(beta=beta, beta0=beta0, noise=noise)
    # Its nodes come from scipy.stats, which takes as long to import as a problem to solve.
    from attlas.solver.channels.many_tokens.kernel import ManyTokenKernel

    return ManyTokenKernel(tokens=channel.tokens, beta=beta, beta0=beta0, noise=noise)


#: Kernels written by hand for their speed. A subclass may have another loss: it inherits none.
KERNELS: dict[type[Channel], Callable[[Any], ChannelKernel]] = {
    LinearChannel: lambda channel: LinearKernel(noise=float(channel.noise)),
    SoftmaxChannel: _softmax,
}


def channel_kernel(
    channel: Channel, scores: Scores | None = None, tokens: ScoreTokens | None = None
) -> ChannelKernel:
    """The numeric kernel of a channel: its own where there is one, else made from its loss.

    Parameters
    ----------
    channel : Channel
    scores : Scores, optional
        Those of a symmetric map unless told.
    tokens : ScoreTokens, optional
        Where they are not the usual ones.

    Raises
    ------
    BadInput
        If the kernel takes no other tokens than the usual ones.
    """
    kernel = _kernel(channel, scores)
    if tokens is None:
        return kernel
    if not isinstance(kernel, TokenKernel) or not (scores is None or scores.symmetric):
        valid = "has no theory yet for tokens whose norm fluctuates otherwise, or correlated ones"
        raise BadInput("channel", channel.name, valid)
    return kernel.with_tokens(tokens)


def _kernel(channel: Channel, scores: Scores | None) -> ChannelKernel:
    if scores is not None and not scores.symmetric and channel.linear:
        return LinearKernel(noise=float(channel.noise), diagonal=1.0)
    if type(channel) in KERNELS and (scores is None or scores.symmetric):
        return KERNELS[type(channel)](channel)
    from attlas.solver.channels.from_loss import loss_kernel  # needs sympy

    attention = None if channel.attention is None else _kernel(channel.attention, None)
    form = scores or Scores(channel.tokens, channel.tokens)
    return loss_kernel(channel, form, attention)


def require_slope(channel: Channel) -> None:
    """That training by gradients can meet a certificate.

    Raises
    ------
    BadInput
        For a loss whose slope jumps: residuals end at its kink. For one that is not convex though
        its channel says so.
    """
    if type(channel) in KERNELS:
        return
    from attlas.solver.channels.from_loss.residual_loss import residual_loss

    found = residual_loss(channel)
    if found is None and channel.tokens <= 2:
        from attlas.solver.channels.from_loss.score_loss import score_loss

        score_loss(channel, Scores(channel.tokens, channel.tokens))
    for kink, low, high in () if found is None else zip(found.kinks, *found.slopes, strict=True):
        if high - low > 1e-9 * (1 + abs(low)):
            raise channel.fault(
                f"must have a gradient to be trained: its slope jumps at a residual of {kink:.3g}",
                "solve it, and round the kink to train it",
            )
