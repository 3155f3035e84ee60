"""What a sample's scores cost, and the derivative in each score.

Arrays have the samples last, shape (T, T, n): entry [a, b] is one contiguous vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch

from attlas.model import Channel, KLChannel, LinearChannel, NextTokenChannel, SoftmaxChannel


class Misfit(ABC):
    """The data term of one channel: the sum over samples of l(y, h) and its derivatives."""

    @abstractmethod
    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Value (a scalar) and derivative in every ordered entry (T, T, n) of the scores."""

    @abstractmethod
    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        """l(y, h) of each sample, shape (n,)."""

    @abstractmethod
    def of(self, samples: slice | torch.Tensor) -> Self:
        """The misfit of some of the samples."""

    @abstractmethod
    def joined(self, others: Sequence[Self]) -> Self:
        """The misfit of these samples and, after them, those of the others."""


@dataclass(frozen=True, eq=False)
class SoftmaxMisfit(Misfit):
    """|y - softmax_rows(beta h)|^2, or its seq2seq form |(y - softmax_rows(beta h)) x|^2/d.

    Parameters
    ----------
    labels : Tensor (T, T, n)
        Rows (second index) sum to one.
    beta : float
    gram : Tensor (T, T, n), optional
        x x^T/d of each sequence. With it the output is softmax(.) x (seq2seq); without it the
        attention matrix (seq2lab), which is the limit x x^T/d -> identity. theory.md section 1.
    """

    labels: torch.Tensor
    beta: float
    gram: torch.Tensor | None = None

    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        attention = torch.softmax(self.beta * scores, dim=1)
        residual = attention - self.labels
        weighted = self._weighted(residual)
        value = (residual * weighted).sum()
        # Jacobian of the row softmax, applied to d value/d attention = 2 * weighted.
        inner = (weighted * attention).sum(dim=1, keepdim=True)
        return value, (2.0 * self.beta) * attention * (weighted - inner)

    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        residual = torch.softmax(self.beta * scores, dim=1) - self.labels
        return (residual * self._weighted(residual)).sum(dim=(0, 1))

    def of(self, samples: slice | torch.Tensor) -> SoftmaxMisfit:
        gram = None if self.gram is None else self.gram[:, :, samples]
        return SoftmaxMisfit(self.labels[:, :, samples], self.beta, gram)

    def joined(self, others: Sequence[SoftmaxMisfit]) -> SoftmaxMisfit:
        grams = [one.gram for one in (self, *others) if one.gram is not None]
        return SoftmaxMisfit(
            _joined([one.labels for one in (self, *others)]),
            self.beta,
            _joined(grams) if grams else None,
        )

    def _weighted(self, residual: torch.Tensor) -> torch.Tensor:
        if self.gram is None:
            return residual
        return torch.einsum("abn,bcn->acn", residual, self.gram)


@dataclass(frozen=True, eq=False)
class LinearMisfit(Misfit):
    """(y - h)^2 with one score a sample (T = 1); labels of shape (1, 1, n)."""

    labels: torch.Tensor

    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        residual = scores - self.labels
        return (residual * residual).sum(), 2.0 * residual

    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        return (scores - self.labels).square().sum(dim=(0, 1))

    def of(self, samples: slice | torch.Tensor) -> LinearMisfit:
        return LinearMisfit(self.labels[:, :, samples])

    def joined(self, others: Sequence[LinearMisfit]) -> LinearMisfit:
        return LinearMisfit(_joined([one.labels for one in (self, *others)]))


@dataclass(frozen=True, eq=False)
class CrossEntropyMisfit(Misfit):
    """-sum_ab y_ab log softmax_rows(beta h)_ab, less the entropy of the labels.

    Parameters
    ----------
    labels : Tensor (T, T, n)
        Probabilities; rows (second index) sum to one.
    beta : float
    entropy : Tensor (n,)
        What no student can save; zero where a token is drawn.
    """

    labels: torch.Tensor
    beta: float
    entropy: torch.Tensor

    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        attention = torch.softmax(self.beta * scores, dim=1)
        return self.per_sample(scores).sum(), self.beta * (attention - self.labels)

    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        guess = torch.log_softmax(self.beta * scores, dim=1)
        return -(self.labels * guess).sum(dim=(0, 1)) - self.entropy

    def of(self, samples: slice) -> CrossEntropyMisfit:
        return CrossEntropyMisfit(self.labels[:, :, samples], self.beta, self.entropy[samples])

    def joined(self, others: Sequence[CrossEntropyMisfit]) -> CrossEntropyMisfit:
        every = (self, *others)
        return CrossEntropyMisfit(
            _joined([one.labels for one in every]),
            self.beta,
            torch.cat([one.entropy for one in every]),
        )


class Tensors:
    """The functions that losses are written in, for tensors; samples are along the last axis."""

    exp, log, sqrt, tanh, cosh = torch.exp, torch.log, torch.sqrt, torch.tanh, torch.cosh
    where, number = torch.where, staticmethod(float)

    @staticmethod
    def maximum(left: Any, right: Any) -> torch.Tensor:
        return left.clamp(min=right) if isinstance(left, torch.Tensor) else right.clamp(min=left)

    @staticmethod
    def softmax(row: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.softmax(torch.stack(tuple(row)), dim=0)

    @staticmethod
    def log_softmax(row: Sequence[torch.Tensor]) -> torch.Tensor:
        return torch.log_softmax(torch.stack(tuple(row)), dim=0)


@dataclass(frozen=True, eq=False)
class LossMisfit(Misfit):
    """The loss of any channel, its gradient by automatic differentiation."""

    labels: torch.Tensor
    channel: Channel

    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.enable_grad():
            moved = scores.detach().requires_grad_()
            value = self.per_sample(moved).sum()
            (gradient,) = torch.autograd.grad(value, moved)
        return value.detach(), gradient

    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        return self.channel.loss(self.labels, scores, Tensors)  # type: ignore[arg-type]

    def of(self, samples: slice | torch.Tensor) -> LossMisfit:
        return LossMisfit(self.labels[:, :, samples], self.channel)

    def joined(self, others: Sequence[LossMisfit]) -> LossMisfit:
        return LossMisfit(_joined([one.labels for one in (self, *others)]), self.channel)


def _joined(samples: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat(tuple(samples), dim=2)


def misfit_of(channel: Channel, labels: torch.Tensor, x: torch.Tensor, task: str) -> Misfit:
    """The misfit of a channel: its own where one is written by hand, else its loss.

    Parameters
    ----------
    channel : Channel
    labels : Tensor (T, T, n)
    x : Tensor (T, n, d)
        Tokens; used by seq2seq only.
    task : {"seq2lab", "seq2seq"}
    """
    if type(channel) not in _BY_HAND:
        return LossMisfit(labels, channel)
    return _BY_HAND[type(channel)](channel, labels, x, task)


def _softmax(
    channel: SoftmaxChannel, labels: torch.Tensor, x: torch.Tensor, task: str
) -> SoftmaxMisfit:
    gram = torch.einsum("ani,bni->abn", x, x) / x.shape[2] if task == "seq2seq" else None
    return SoftmaxMisfit(labels, float(channel.beta), gram)


def _kl(labels: torch.Tensor, beta: float) -> CrossEntropyMisfit:
    chances = labels.exp()
    return CrossEntropyMisfit(chances, beta, -(chances * labels).sum(dim=(0, 1)))


#: For speed, and for the output of seq2seq. A subclass may have another loss: it inherits none.
_BY_HAND: dict[type[Channel], Callable[..., Misfit]] = {
    SoftmaxChannel: _softmax,
    NextTokenChannel: lambda channel, labels, x, task: CrossEntropyMisfit(  # noqa: ARG005
        labels, float(channel.beta), labels.new_zeros(labels.shape[2])
    ),
    KLChannel: lambda channel, labels, x, task: _kl(labels, float(channel.beta)),  # noqa: ARG005
    LinearChannel: lambda channel, labels, x, task: LinearMisfit(labels),  # noqa: ARG005
}
