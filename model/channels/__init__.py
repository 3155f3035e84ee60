"""Channels: how scores become labels and what a misfit costs, one file each."""

from model.channels.channel import Channel
from model.channels.linear import LinearChannel
from model.channels.softmax import SoftmaxChannel

__all__ = ["Channel", "LinearChannel", "SoftmaxChannel"]
