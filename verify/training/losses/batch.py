"""The objectives of several data sets at once, for devices that one data set does not fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import torch

from attlas.verify.training.losses.misfit import Misfit
from attlas.verify.training.losses.objective import Objective


@dataclass(frozen=True, eq=False)
class BatchObjective:
    """L(W_1) + ... + L(W_B), each on its own data; see :class:`~verify.training.losses.Objective`.

    Parameters
    ----------
    x : Tensor (B, T, n, d)
        Tokens.
    misfit : Misfit
        Of all B n samples, data set by data set.
    lam : float >= 0
    c : Tensor (d,)
    positions : Tensor (T, T)
    centring : {"trace", "average"}
    """

    x: torch.Tensor
    misfit: Misfit
    lam: float
    c: torch.Tensor
    positions: torch.Tensor
    centring: str = "trace"

    @classmethod
    def of(cls, objectives: Sequence[Objective]) -> BatchObjective:
        """Objectives of one problem on data sets of one size, at the penalty of the first."""
        first, *others = objectives
        return cls(
            torch.stack([one.x for one in objectives]),
            first.misfit.joined([one.misfit for one in others]),
            first.lam,
            first.c,
            first.positions,
            first.centring,
        )

    def value_and_gradient(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The sum of the losses (a scalar tensor), and the gradients (B, d, p) of each in its W."""
        batch, tokens, n, d = self.x.shape
        p = w.shape[2]
        scale = 1.0 / (d * sqrt(p))
        y = torch.bmm(self.x.reshape(batch, tokens * n, d), w).reshape(batch, tokens, n, p)
        squares = w.square()
        scores = torch.einsum("kanp,kbnp->abkn", y, y) * scale
        if self.centring == "average":
            scores = scores - scores.mean(dim=3, keepdim=True)
        else:
            means = scale * (self.c[:, None] * squares).sum(dim=(1, 2))
            scores = scores - self.positions[:, :, None, None] * means[:, None]
        value, flat = self.misfit(scores.reshape(tokens, tokens, batch * n))
        g = (flat + flat.transpose(0, 1)).reshape(tokens, tokens, batch, n) / 2
        trace = w.new_zeros(batch)
        if self.centring == "average":
            g = g - g.mean(dim=3, keepdim=True)
        else:
            trace = torch.einsum("ab,abkn->k", self.positions, g)
        rows = torch.einsum("abkn,kbnp->kanp", g, y).reshape(batch, tokens * n, p)
        gradient = torch.bmm(self.x.reshape(batch, tokens * n, d).mT, rows) * (2.0 * scale)
        gradient += (2.0 * (self.lam - scale * trace[:, None] * self.c))[:, :, None] * w
        return value + self.lam * squares.sum(), gradient
