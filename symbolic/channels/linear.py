"""The linear channel: one token, square loss."""

from __future__ import annotations

from functools import cache

from attlas.symbolic.channels.channel import Channel
from attlas.symbolic.channels.residual import r, residual_channel


@cache
def linear_channel() -> Channel:
    """One token, loss (y - h)^2: M = 2 (Q - 2m + q)/(1 + 4 sigma)."""
    return residual_channel("linear", r**2, "(y - h)^2")
