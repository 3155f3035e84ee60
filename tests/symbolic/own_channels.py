"""Channels that the package does not have, as a user writes them."""

from __future__ import annotations

from attlas.model import Channel
from attlas.symbolic.channels import channel_equations


class Absolute(Channel):
    """|y - h|: the envelope is Huber's function, and M has error functions."""

    name = "absolute"

    def loss(self, labels, scores, f):  # noqa: ARG002
        return abs(labels[0][0] - scores[0][0])


class Elastic(Channel):
    """r^2/3 + |r|/2."""

    name = "elastic"

    def loss(self, labels, scores, f):
        r = abs(labels[0][0] - scores[0][0])
        return f.number(2) * r**2 / 6 + r / 2


ABSOLUTE = channel_equations(Absolute())
