"""The training objective in W and in S, with its gradient, without automatic differentiation."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch

from model import Problem
from verify.data.sequences import Data
from verify.training.losses.misfit import Misfit, misfit_of


@dataclass(frozen=True, eq=False)
class Objective:
    """L(W) = sum_mu l(y_mu, h_mu(S)) + lam |W|_F^2 with S = W W^T/sqrt(p d). theory.md section 1.

    Memory is O(n T d + d^2): scores come from Y = X W (one product of nT x d by d x p), the
    gradient from X^T A with A_a = sum_b g_ab Y_b; no n x d x d array is formed.

    Parameters
    ----------
    x : Tensor (T, n, d)
        Tokens, any device and floating type.
    misfit : Misfit
    lam : float >= 0
    centring : {"trace", "average"}
        Scores are x_a^T S x_b/sqrt(d) less delta_ab Tr S/sqrt(d), or less their average over the
        samples (entry by entry); the gradient accounts for either.
    """

    x: torch.Tensor
    misfit: Misfit
    lam: float
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

        def moved(array: np.ndarray, order: tuple[int, ...]) -> torch.Tensor:
            turned = np.ascontiguousarray(array.transpose(order))
            return torch.from_numpy(turned).to(device=device, dtype=dtype)

        x = moved(data.x, (1, 0, 2))
        labels = moved(data.labels, (1, 2, 0))
        return cls(x, misfit_of(problem.channel, labels, x, problem.task), lam, centring)

    def with_lam(self, lam: float) -> Objective:
        """The same data with another weight decay."""
        return Objective(self.x, self.misfit, lam, self.centring)

    def value_and_gradient(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """L(W) (a scalar tensor) and dL/dW, for W of shape (d, p)."""
        tokens, n, d = self.x.shape
        p = w.shape[1]
        scale = 1.0 / (d * sqrt(p))  # 1/sqrt(p d) of S times 1/sqrt(d) of the scores
        y = (self.x.reshape(tokens * n, d) @ w).reshape(tokens, n, p)
        norm = w.square().sum()
        scores = self._centred(_products(y, y) * scale, norm * scale)
        value, g = self._symmetric_derivative(scores)
        gradient = self._back(g, y) * (2.0 * scale)
        gradient += (2.0 * (self.lam - scale * self._trace_weight(g))) * w
        return value + self.lam * norm, gradient

    def value_and_gradient_of_map(
        self, s: torch.Tensor, penalty: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """sum_mu l(y_mu, h_mu(S)) + penalty Tr S and its symmetric gradient in S, shape (d, d).

        With penalty = d lam_tilde = sqrt(p d) lam it equals L(W) at S = W W^T/sqrt(p d)
        (theory.md section 2).
        """
        tokens, n, d = self.x.shape
        scale = 1.0 / sqrt(d)
        y = (self.x.reshape(tokens * n, d) @ s).reshape(tokens, n, d)
        trace = s.diagonal().sum()
        scores = self._centred(_products(y, self.x) * scale, trace * scale)
        value, g = self._symmetric_derivative(scores)
        gradient = self.pull_back(g)
        gradient.diagonal().add_(penalty)
        return value + penalty * trace, gradient

    def value_and_gradient_of_factors(
        self, values: torch.Tensor, vectors: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """sum_mu l(y_mu, h_mu(S)) and its symmetric gradient in S = V diag(values) V^T.

        V of shape (d, r); with r well below d in nearly half the time of
        :meth:`value_and_gradient_of_map`.
        """
        tokens, n, d = self.x.shape
        scale = 1.0 / sqrt(d)
        y = (self.x.reshape(tokens * n, d) @ vectors).reshape(tokens, n, values.shape[0])
        trace = (values * vectors.square().sum(dim=0)).sum()
        scores = self._centred(_products(y * values, y) * scale, trace * scale)
        value, g = self._symmetric_derivative(scores)
        return value, self.pull_back(g)

    def pull_back(self, g: torch.Tensor) -> torch.Tensor:
        """sum_mu sum_ab g_ab dh_ab/dS over ordered pairs, for symmetric g (T, T, n); shape (d, d).

        With ``centring="average"`` g must have zero average over the samples.
        """
        scale = 1.0 / sqrt(self.x.shape[2])
        gradient = self._back(g, self.x) * scale
        gradient = (gradient + gradient.mT) / 2
        gradient.diagonal().sub_(scale * self._trace_weight(g))
        return gradient

    def scores_of_map(self, s: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Centred scores (T, T, n) of a map S, and the offset (T, T) that was subtracted."""
        tokens, n, d = self.x.shape
        y = (self.x.reshape(tokens * n, d) @ s).reshape(tokens, n, d)
        raw = _products(y, self.x) / sqrt(d)
        if self.centring == "average":
            offset = raw.mean(dim=2)
        else:
            identity = torch.eye(tokens, dtype=s.dtype, device=s.device)
            offset = identity * (s.diagonal().sum() / sqrt(d))
        return raw - offset[:, :, None], offset

    def _centred(self, raw: torch.Tensor, diagonal: torch.Tensor) -> torch.Tensor:
        if self.centring == "average":
            return raw - raw.mean(dim=2, keepdim=True)
        for a in range(raw.shape[0]):
            raw[a, a] -= diagonal
        return raw

    def _symmetric_derivative(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value, g = self.misfit(scores)
        g = (g + g.transpose(0, 1)) / 2
        if self.centring == "average":
            g -= g.mean(dim=2, keepdim=True)
        return value, g

    def _trace_weight(self, g: torch.Tensor) -> torch.Tensor | float:
        """Derivative of the data term in -Tr S/sqrt(d); an average has no such term."""
        if self.centring == "average":
            return 0.0
        return g.diagonal(dim1=0, dim2=1).sum()

    def _back(self, g: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """sum_mu sum_ab g_ab x_a y_b^T, shape (d, columns of y)."""
        tokens, n, d = self.x.shape
        a_rows = torch.empty_like(y)
        for a in range(tokens):
            torch.mul(g[a, 0, :, None], y[0], out=a_rows[a])
            for b in range(1, tokens):
                a_rows[a].addcmul_(g[a, b, :, None], y[b])
        return self.x.reshape(tokens * n, d).mT @ a_rows.reshape(tokens * n, y.shape[2])


def _products(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Inner products left_a . right_b of every sample, (T, T, n), symmetric by construction."""
    tokens, n, _ = left.shape
    out = left.new_empty((tokens, tokens, n))
    for a in range(tokens):
        for b in range(a, tokens):
            out[a, b] = out[b, a] = (left[a] * right[b]).sum(dim=1)
    return out
