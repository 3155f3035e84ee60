"""Channels: how scores become labels and what a misfit costs, one file each."""

from attlas.model.channels.channel import Channel
from attlas.model.channels.linear import LinearChannel
from attlas.model.channels.softmax import SoftmaxChannel

__all__ = ["Channel", "LinearChannel", "SoftmaxChannel"]
