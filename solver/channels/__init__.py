"""Gaussian expectations of each channel's proximal operator: one kernel a channel."""

from __future__ import annotations

from functools import singledispatch

from attlas.model import LinearChannel, SoftmaxChannel
from attlas.model.channels import Channel
from attlas.solver.channels.kernel import (
    TEST_ACCURACY,
    ChannelKernel,
    ChannelMoments,
    ReplicatedKernel,
    TestErrors,
)
from attlas.solver.channels.linear import LinearKernel
from attlas.solver.channels.two_tokens.kernel import TwoTokenKernel

__all__ = [
    "TEST_ACCURACY",
    "ChannelKernel",
    "ChannelMoments",
    "ReplicatedKernel",
    "TestErrors",
    "channel_kernel",
]


@singledispatch
def channel_kernel(channel: Channel) -> ChannelKernel:
    """The numeric kernel of a channel; a new channel registers its own."""
    raise NotImplementedError(f"no numeric kernel is registered for {type(channel).__name__}")


@channel_kernel.register
def _(channel: LinearChannel) -> ChannelKernel:
    return LinearKernel(noise=float(channel.noise))


@channel_kernel.register
def _(channel: SoftmaxChannel) -> ChannelKernel:
    beta, beta0, noise = float(channel.beta), float(channel.beta0), float(channel.noise)
    if channel.tokens == 2:
        return TwoTokenKernel(beta=beta, beta0=beta0, noise=noise)
    # Its nodes come from scipy.stats, which takes as long to import as a problem to solve.
    from attlas.solver.channels.many_tokens.kernel import ManyTokenKernel

    return ManyTokenKernel(tokens=channel.tokens, beta=beta, beta0=beta0, noise=noise)
