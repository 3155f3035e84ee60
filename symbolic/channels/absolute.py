"""The linear channel with absolute-value loss: a channel that the theory note does not have."""

from __future__ import annotations

from functools import cache

from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.channels.residual import r, residual_channel


@cache
def absolute_channel() -> Channel:
    """One token, loss |y - h|: the envelope is Huber's function and M has error functions."""
    return residual_channel("absolute", r, "|y - h|")
