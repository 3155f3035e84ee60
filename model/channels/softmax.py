"""The softmax channel of a tied attention head."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model.channels.channel import Channel
from attlas.model.exact import Number, non_negative, positive, whole


@dataclass(frozen=True, init=False)
class SoftmaxChannel(Channel):
    """Labels softmax_rows(beta0 (h(S0) + sqrt(noise) xi)), squared loss to softmax_rows(beta h(S)).

    Parameters
    ----------
    tokens : int >= 2
        T, the number of tokens in a sequence.
    beta, beta0 : number > 0
        Inverse temperatures of the student and of the teacher.
    noise : number >= 0
        Delta, the variance scale of the label noise on the scores (theory.md section 1).
    """

    tokens: int
    beta: Fraction
    beta0: Fraction
    noise: Fraction

    name: ClassVar[str] = "softmax"

    def __init__(
        self, tokens: Number = 2, beta: Number = 1, beta0: Number = 1, noise: Number = 0
    ) -> None:
        object.__setattr__(self, "tokens", whole("tokens", tokens, at_least=2))
        object.__setattr__(self, "beta", positive("beta", beta))
        object.__setattr__(self, "beta0", positive("beta0", beta0))
        object.__setattr__(self, "noise", non_negative("noise", noise))

    @property
    def label_rank(self) -> int:
        return (self.tokens * self.tokens + self.tokens - 2) // 2
