"""Channels: label law and loss, and the function M that follows from them."""

from attlas.symbolic.channels.absolute import absolute_channel
from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.channels.linear import linear_channel
from attlas.symbolic.channels.softmax import Softmax, softmax_channel

__all__ = ["Channel", "Softmax", "absolute_channel", "linear_channel", "softmax_channel"]
