"""What a sample's scores cost, and the derivative in each score.

Arrays have the samples last, shape (T, T, n): entry [a, b] is one contiguous vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Self

import torch

from attlas.model import Channel, LinearChannel, SoftmaxChannel


class Misfit(ABC):
    """The data term of one channel: the sum over samples of l(y, h) and its derivatives."""

    @abstractmethod
    def __call__(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Value (a scalar) and derivative in every ordered entry (T, T, n) of the scores."""

    @abstractmethod
    def per_sample(self, scores: torch.Tensor) -> torch.Tensor:
        """l(y, h) of each sample, shape (n,)."""

    @abstractmethod
    def of(self, samples: slice) -> Self:
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

    def of(self, samples: slice) -> SoftmaxMisfit:
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

    def of(self, samples: slice) -> LinearMisfit:
        return LinearMisfit(self.labels[:, :, samples])

    def joined(self, others: Sequence[LinearMisfit]) -> LinearMisfit:
        return LinearMisfit(_joined([one.labels for one in (self, *others)]))


def _joined(samples: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat(tuple(samples), dim=2)


@singledispatch
def misfit_of(
    channel: Channel,
    labels: torch.Tensor,  # noqa: ARG001
    x: torch.Tensor,  # noqa: ARG001
    task: str,  # noqa: ARG001
) -> Misfit:
    """The misfit of a channel.

    Parameters
    ----------
    channel : Channel
    labels : Tensor (T, T, n)
    x : Tensor (T, n, d)
        Tokens; used by seq2seq only.
    task : {"seq2lab", "seq2seq"}
    """
    raise TypeError(f"no loss is defined for a channel of type {type(channel).__name__}")


@misfit_of.register
def _(channel: SoftmaxChannel, labels: torch.Tensor, x: torch.Tensor, task: str) -> Misfit:
    gram = torch.einsum("ani,bni->abn", x, x) / x.shape[2] if task == "seq2seq" else None
    return SoftmaxMisfit(labels, float(channel.beta), gram)


@misfit_of.register
def _(channel: LinearChannel, labels: torch.Tensor, x: torch.Tensor, task: str) -> Misfit:  # noqa: ARG001
    return LinearMisfit(labels)
