"""Cross-entropy to the teacher's softmax: tokens drawn from it, or the probabilities themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from attlas.model.channels.channel import Matrix
from attlas.model.channels.functions import Functions
from attlas.model.channels.softmax import SoftmaxChannel


class _CrossEntropy(SoftmaxChannel):
    """Cross-entropy of rows of attention, convex in the scores."""

    tasks = ("seq2lab",)
    convex = True

    @property
    def attention(self) -> SoftmaxChannel:
        return SoftmaxChannel(self.tokens, self.beta, self.beta0, self.noise)

    def _guess(self, scores: Matrix, f: Functions) -> Matrix:
        return _log_rows(f.number(self.beta), scores, f)


@dataclass(frozen=True, init=False)
class NextTokenChannel(_CrossEntropy):
    """Row a picks token y_a with softmax(beta0 (h(S0) + sqrt(noise) xi))_a; cross-entropy.

    The loss is the sum over rows of -log softmax(beta h)_(a, y_a), convex in h. Parameters as for
    :class:`SoftmaxChannel`. theory.md section 18.
    """

    name: ClassVar[str] = "next-token"
    convex = True
    interpolates = False
    label_law: ClassVar[str] = (
        "row a of y is the unit vector of token b with probability "
        "softmax_rows(beta0 (h(S0) + sqrt(noise) xi))_ab, written as its mean"
    )
    loss_law: ClassVar[str] = "sum over (a, b) of -y_ab log softmax_rows(beta h)_ab"

    @cached_property
    def outcomes(self) -> tuple[Matrix, ...]:
        """Every choice of a token in each row, as T x T matrices of 0 and 1."""
        size = range(self.tokens)
        return tuple(
            tuple(tuple(int(b == chosen) for b in size) for chosen in choice)
            for choice in product(size, repeat=self.tokens)
        )

    def probabilities(self, scores: Matrix, f: Functions) -> Sequence[Any]:
        return [math.prod(choice) for choice in product(*self.labels(scores, f))]

    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:
        pairs = zip(labels, self._guess(scores, f), strict=True)
        return -sum(y * p for row in pairs for y, p in zip(*row, strict=True))


@dataclass(frozen=True, init=False)
class KLChannel(_CrossEntropy):
    """Soft labels softmax_rows(beta0 (h(S0) + sqrt(noise) xi)); divergence from them.

    A label is kept as the logarithms of its probabilities p, and the loss is
    sum_ab p_ab log(p_ab/softmax_rows(beta h)_ab), convex in h and 0 at beta h = beta0 z0.
    Parameters as for :class:`SoftmaxChannel`. theory.md section 18.
    """

    name: ClassVar[str] = "kl"
    convex = True
    label_law: ClassVar[str] = "y = log softmax_rows(beta0 (h(S0) + sqrt(noise) xi))"
    loss_law: ClassVar[str] = "sum over (a, b) of exp(y_ab) (y - log softmax_rows(beta h))_ab"

    def labels(self, scores: Matrix, f: Functions) -> Matrix:
        return _log_rows(f.number(self.beta0), scores, f)

    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:
        pairs = zip(labels, self._guess(scores, f), strict=True)
        return sum(f.exp(y) * (y - p) for row in pairs for y, p in zip(*row, strict=True))


def _log_rows(sharpness: Any, scores: Matrix, f: Functions) -> Matrix:
    return [f.log_softmax([sharpness * score for score in row]) for row in scores]
