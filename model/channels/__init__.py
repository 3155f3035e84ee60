"""Channels: how scores become labels and what a misfit costs, one file each."""

from __future__ import annotations

from typing import Any, TypeVar

from attlas.model.channels.channel import Channel, label_strength
from attlas.model.channels.functions import Functions
from attlas.model.channels.linear import LinearChannel
from attlas.model.channels.softmax import SoftmaxChannel
from attlas.model.errors import BadInput

#: The channel of each ``--channel``, by name.
CHANNELS: dict[str, type[Channel]] = {one.name: one for one in (SoftmaxChannel, LinearChannel)}

_C = TypeVar("_C", bound=type[Channel])


def register(cls: _C) -> _C:
    """Make a channel known as ``--channel NAME``; also as a decorator of its class.

    Raises
    ------
    BadInput
        If its name is taken.
    """
    if CHANNELS.setdefault(cls.name, cls) is not cls:
        raise BadInput("channel", cls.name, "is taken by another channel", "name it otherwise")
    return cls


def channel_of(tokens: int, **fields: Any) -> Channel:
    """The channel where none is named: softmax, and linear for one token."""
    return SoftmaxChannel(tokens, **fields) if tokens > 1 else LinearChannel(**fields)


__all__ = [
    "CHANNELS",
    "Channel",
    "Functions",
    "LinearChannel",
    "SoftmaxChannel",
    "channel_of",
    "label_strength",
    "register",
]
