"""Channels: label law and loss, and the function M that follows from them."""

from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.channels.equations import channel_equations, channel_loss
from attlas.symbolic.channels.softmax import Softmax

__all__ = ["Channel", "Softmax", "channel_equations", "channel_loss"]
