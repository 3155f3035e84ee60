"""The training objective in W and in S, with its gradient, without automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Protocol

import numpy as np
import torch

from attlas.model import Problem
from attlas.verify.data.sequences import Data
from attlas.verify.training.losses.misfit import Misfit, misfit_of

#: Bytes of the rows of a block of samples, for each thread: what its cache holds.
_CACHE = 2_000_000

#: Of some samples: value, product of derivatives and rows, derivative in -Tr CS/sqrt(d).
_Part = tuple[torch.Tensor, torch.Tensor, torch.Tensor | float]


class Differentiable(Protocol):
    """What Adam descends."""

    @property
    def x(self) -> torch.Tensor:
        """Tokens, whose device and floating type the descent takes."""
        ...

    def value_and_gradient(self, w: torch.Tensor, /) -> tuple[torch.Tensor, torch.Tensor]:
        """L(W) and its gradient."""
        ...


class Penalised(Differentiable, Protocol):
    """What L-BFGS descends, to a gradient measured against the penalty lam |W|_F^2."""

    @property
    def lam(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Objective:
    """L(W) = sum_mu l(y_mu, h_mu(S)) + lam |W|_F^2 with S = W W^T/sqrt(p d). theory.md section 1.

    Memory is O(n T d + d^2): scores come from Y = X W (products of n x d by d x p), the gradient
    from X^T A with A_a = sum_b g_ab Y_b; no n x d x d array is formed.

    Parameters
    ----------
    x : Tensor (T, n, d)
        Tokens, any device and floating type.
    misfit : Misfit
    lam : float >= 0
    c : Tensor (d,)
        Second moments of the coordinates, the diagonal of C.
    positions : Tensor (T, T)
        Correlation A of the positions.
    centring : {"trace", "average"}
        Scores are x_a^T S x_b/sqrt(d) less their mean A_ab Tr CS/sqrt(d), or less their average
        over the samples (entry by entry); the gradient accounts for either.
    """

    x: torch.Tensor
    misfit: Misfit
    lam: float
    c: torch.Tensor
    positions: torch.Tensor
    centring: str = "trace"

    @classmethod
    def build(
        cls,
        problem: Problem,
        data: Data,
        *,
        lam: float,
        centring: str = "trace",
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float64,
    ) -> Objective:
        """The objective of a problem on a data set, moved to a device."""

        def moved(array: np.ndarray, *order: int) -> torch.Tensor:
            turned = np.ascontiguousarray(array.transpose(order) if order else array)
            return torch.from_numpy(turned).to(device=device, dtype=dtype)

        x = moved(data.x, 1, 0, 2)
        misfit = misfit_of(problem.channel, moved(data.labels, 1, 2, 0), x, problem.task)
        c, positions = moved(data.moments.coordinates), moved(data.moments.positions)
        return cls(x, misfit, lam, c, positions, centring)

    def with_lam(self, lam: float) -> Objective:
        """The same data with another weight decay."""
        return replace(self, lam=lam)

    def batches(self, count: int) -> tuple[Objective, ...]:
        """The objective in parts of equal numbers of samples, that sum to it.

        Samples that are left over, fewer than ``count``, are dropped.
        """
        size = self.x.shape[1] // count
        parts = (self._block(slice(k * size, (k + 1) * size)) for k in range(count))
        return tuple(part.with_lam(self.lam / count) for part in parts)

    def value_and_gradient(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """L(W) (a scalar tensor) and dL/dW, for W of shape (d, p)."""
        d, p = w.shape
        scale = 1.0 / (d * sqrt(p))  # 1/sqrt(p d) of S times 1/sqrt(d) of the scores
        squares = w.square()
        norm, mean = squares.sum(), (self.c[:, None] * squares).sum() * scale

        def part(block: Objective) -> _Part:
            y = block._rows(w)
            scores = block._centred(_products(y, y) * scale, mean)
            value, g = block._symmetric_derivative(scores)
            return value, block._back(g, y), block._trace_weight(g)

        value, gradient, trace_weight = self._summed(part, p)
        gradient *= 2.0 * scale
        gradient += (2.0 * (self.lam - scale * trace_weight * self.c))[:, None] * w
        return value + self.lam * norm, gradient

    def value_and_gradient_of_map(
        self, s: torch.Tensor, penalty: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """sum_mu l(y_mu, h_mu(S)) + penalty Tr S and its symmetric gradient in S, shape (d, d).

        With penalty = d lam_tilde = sqrt(p d) lam it equals L(W) at S = W W^T/sqrt(p d)
        (theory.md section 2).
        """
        d = s.shape[0]
        scale = 1.0 / sqrt(d)
        diagonal = s.diagonal()
        trace, mean = diagonal.sum(), (self.c * diagonal).sum() * scale

        def part(block: Objective) -> _Part:
            raw = _products(block._rows(s), block.x) * scale
            value, g = block._symmetric_derivative(block._centred(raw, mean))
            return value, block._back(g, block.x), block._trace_weight(g)

        value, gradient, trace_weight = self._summed(part, d)
        gradient = self._in_map(gradient, trace_weight)
        gradient.diagonal().add_(penalty)
        return value + penalty * trace, gradient

    def value_and_gradient_of_factors(
        self, values: torch.Tensor, vectors: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """sum_mu l(y_mu, h_mu(S)) and its symmetric gradient in S = V diag(values) V^T.

        V of shape (d, r); with r well below d in nearly half the time of
        :meth:`value_and_gradient_of_map`.
        """
        d = vectors.shape[0]
        scale = 1.0 / sqrt(d)
        mean = (values * (self.c @ vectors.square())).sum() * scale

        def part(block: Objective) -> _Part:
            y = block._rows(vectors)
            scores = block._centred(_products(y * values, y) * scale, mean)
            value, g = block._symmetric_derivative(scores)
            return value, block._back(g, block.x), block._trace_weight(g)

        value, gradient, trace_weight = self._summed(part, d)
        return value, self._in_map(gradient, trace_weight)

    def pull_back(self, g: torch.Tensor) -> torch.Tensor:
        """sum_mu sum_ab g_ab dh_ab/dS over ordered pairs, for symmetric g (T, T, n); shape (d, d).

        With ``centring="average"`` g must have zero average over the samples.
        """
        return self._in_map(self._back(g, self.x), self._trace_weight(g))

    def scores_of_map(self, s: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Centred scores (T, T, n) of a map S, and the offset (T, T) that was subtracted."""
        d = self.x.shape[2]
        raw = _products(self._rows(s), self.x) / sqrt(d)
        if self.centring == "average":
            offset = raw.mean(dim=2)
        else:
            offset = self.positions * ((self.c * s.diagonal()).sum() / sqrt(d))
        return raw - offset[:, :, None], offset

    def _centred(self, raw: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        if self.centring == "average":
            return raw - raw.mean(dim=2, keepdim=True)
        raw -= (self.positions * mean)[:, :, None]
        return raw

    def _symmetric_derivative(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value, g = self.misfit(scores)
        g = (g + g.transpose(0, 1)) / 2
        if self.centring == "average":
            g -= g.mean(dim=2, keepdim=True)
        return value, g

    def _trace_weight(self, g: torch.Tensor) -> torch.Tensor | float:
        """Derivative of the data term in -Tr CS/sqrt(d); an average has no such term."""
        if self.centring == "average":
            return 0.0
        return (self.positions * g.sum(dim=2)).sum()

    def _rows(self, matrix: torch.Tensor) -> torch.Tensor:
        """X times a matrix of shape (d, k): every token, (T, n, k)."""
        tokens, n, _ = self.x.shape
        y = self.x.new_empty((tokens, n, matrix.shape[1]))
        for a in range(tokens):
            torch.mm(self.x[a], matrix, out=y[a])
        return y

    def _back(self, g: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """sum_mu sum_ab g_ab x_a y_b^T, shape (d, columns of y)."""
        tokens, _, d = self.x.shape
        gradient = y.new_zeros((d, y.shape[2]))
        a_row = torch.empty_like(y[0])
        for a in range(tokens):
            torch.mul(g[a, 0, :, None], y[0], out=a_row)
            for b in range(1, tokens):
                a_row.addcmul_(g[a, b, :, None], y[b])
            gradient.addmm_(self.x[a].mT, a_row)
        return gradient

    def _summed(self, part: Callable[[Objective], _Part], columns: int) -> _Part:
        """The sum over the samples, some at a time where their rows would leave the cache.

        A sum over all of them in one go reads and writes n T rows from memory at each step, in
        twice the time. An average over the samples needs the scores of all before anything else.
        """
        tokens, n, _ = self.x.shape
        room = _CACHE * torch.get_num_threads() // self.x.element_size()
        samples = max(1, room // (tokens * columns))
        if self.centring == "average" or self.x.device.type != "cpu" or n < 2 * samples:
            return part(self)
        value, gradient, trace_weight = part(self._block(slice(0, samples)))
        for first in range(samples, n, samples):
            one, its, weight = part(self._block(slice(first, first + samples)))
            value, trace_weight = value + one, trace_weight + weight
            gradient += its
        return value, gradient, trace_weight

    def _block(self, samples: slice) -> Objective:
        return replace(self, x=self.x[:, samples], misfit=self.misfit.of(samples))

    def _in_map(self, gradient: torch.Tensor, trace_weight: torch.Tensor | float) -> torch.Tensor:
        """Derivative in a symmetric S, from sum_mu sum_ab g_ab x_a x_b^T."""
        scale = 1.0 / sqrt(gradient.shape[0])
        gradient = (gradient + gradient.mT) * (scale / 2)
        gradient.diagonal().sub_(scale * trace_weight * self.c)
        return gradient


def _products(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Inner products left_a . right_b of every sample, (T, T, n), symmetric by construction."""
    tokens, n, _ = left.shape
    out = left.new_empty((tokens, tokens, n))
    for a in range(tokens):
        for b in range(a, tokens):
            out[a, b] = out[b, a] = (left[a] * right[b]).sum(dim=1)
    return out
