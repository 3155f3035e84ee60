"""Channels: how scores become labels and what a misfit costs, one file each."""

from __future__ import annotations

from typing import Any

from attlas.model.channels.channel import Channel, label_strength
from attlas.model.channels.cross_entropy import KLChannel, NextTokenChannel
from attlas.model.channels.functions import Functions
from attlas.model.channels.linear import LinearChannel
from attlas.model.channels.softmax import SoftmaxChannel
from attlas.model.registry import Registry

#: The channel of each ``--channel``, by name.
CHANNELS: Registry[type[Channel]] = Registry("channel", "channel", base=Channel)
for _one in (SoftmaxChannel, LinearChannel, NextTokenChannel, KLChannel):
    CHANNELS.register(_one)


def channel_of(tokens: int, **fields: Any) -> Channel:
    """The channel where none is named: softmax, and linear for one token."""
    return SoftmaxChannel(tokens, **fields) if tokens > 1 else LinearChannel(**fields)


__all__ = [
    "CHANNELS",
    "Channel",
    "Functions",
    "KLChannel",
    "LinearChannel",
    "NextTokenChannel",
    "SoftmaxChannel",
    "channel_of",
    "label_strength",
]
