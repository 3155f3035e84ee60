"""The linear channel: one token, the quadratic network."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model.channels.channel import Channel, Matrix
from attlas.model.channels.functions import Functions
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
    linear = convex = True
    label_law: ClassVar[str] = "y = h(S0) + sqrt(noise) xi, one diagonal score"
    loss_law: ClassVar[str] = "(y - h)^2"

    def __init__(self, noise: Number = 0) -> None:
        object.__setattr__(self, "noise", non_negative("noise", noise))

    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:  # noqa: ARG002
        return (labels[0][0] - scores[0][0]) ** 2
