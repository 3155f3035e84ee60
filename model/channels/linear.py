"""The linear channel: one token, the quadratic network."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.channels.channel import Channel
from attlas.model.exact import Number, non_negative


@dataclass(frozen=True, init=False)
class LinearChannel(Channel):
    """Labels h(S0) + sqrt(noise) xi with a single diagonal score, square loss (T = 1).

    Parameters
    ----------
    noise : number >= 0
        Delta, the label variance (the signal's variance is 2 Q0; theory.md section 1).
    """

    noise: Fraction

    name: ClassVar[str] = "linear"
    tokens = 1  # not a field: there is no choice

    def __init__(self, noise: Number = 0) -> None:
        object.__setattr__(self, "noise", non_negative("noise", noise))

    @property
    def label_rank(self) -> int:
        return 1
