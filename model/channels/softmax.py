"""The softmax channel of a tied attention head."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model.channels.channel import Channel, Matrix
from attlas.model.channels.functions import Functions
from attlas.model.errors import BadInput
from attlas.model.exact import Number
from attlas.model.scores import Scores


@dataclass(frozen=True, init=False)
class SoftmaxChannel(Channel):
    """Labels softmax_rows(beta0 (h(S0) + sqrt(noise) xi)), squared loss to softmax_rows(beta h).

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
    tasks = ("seq2lab", "seq2seq")
    label_law: ClassVar[str] = "y = softmax_rows(beta0 (h(S0) + sqrt(noise) xi))"
    loss_law: ClassVar[str] = "sum over (a, b) of (y - softmax_rows(beta h))_ab^2"

    def __init__(
        self, tokens: Number = 2, beta: Number = 1, beta0: Number = 1, noise: Number = 0
    ) -> None:
        for field, value in zip(self.fields(), (tokens, beta, beta0, noise), strict=True):
            object.__setattr__(self, field, value)
        self.__post_init__()
        if self.tokens == 1:
            raise BadInput(
                "tokens",
                tokens,
                "must be a whole number, 2 or more, for the softmax of a row",
                "the softmax of one score is 1 whatever it is: take `channel=linear`",
            )

    def labels(self, scores: Matrix, f: Functions) -> Matrix:
        return _rows(f.number(self.beta0), scores, f)

    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:
        pairs = zip(labels, _rows(f.number(self.beta), scores, f), strict=True)
        return sum((y - p) ** 2 for row in pairs for y, p in zip(*row, strict=True))

    @property
    def scale(self) -> Fraction:
        return self.beta0 / self.beta

    @property
    def sharpness(self) -> Fraction:
        return self.beta

    @property
    def label_rank(self) -> int:
        # Exactly: the trial of every channel would underflow for sharp scores.
        return (self.tokens * self.tokens + self.tokens - 2) // 2

    def rank_of(self, scores: Scores) -> int:
        independent = scores.queries * (scores.keys - 1)
        return self.label_rank if scores.symmetric else independent


def _rows(sharpness: Any, scores: Matrix, f: Functions) -> Matrix:
    return [f.softmax([sharpness * score for score in row]) for row in scores]
