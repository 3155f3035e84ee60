"""The objectives of several data sets at once, for devices that one data set does not fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch

from model import Problem
from verify.data.sequences import Data
from verify.training.losses.misfit import Misfit, misfit_of


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
    centring : {"trace", "average"}
    """

    x: torch.Tensor
    misfit: Misfit
    lam: float
    centring: str = "trace"

    @classmethod
    def build(
        cls,
        problem: Problem,
        data: Sequence[Data],
        *,
        lam: float,
        centring: str = "trace",
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float64,
    ) -> BatchObjective:
        """The objectives of one problem on data sets of one size, moved to a device."""
        tokens = np.stack([one.x.transpose(1, 0, 2) for one in data])
        labels = np.concatenate([one.labels.transpose(1, 2, 0) for one in data], axis=2)
        x = torch.from_numpy(tokens).to(device=device, dtype=dtype)
        y = torch.from_numpy(np.ascontiguousarray(labels)).to(device=device, dtype=dtype)
        flat = x.transpose(0, 1).reshape(x.shape[1], -1, x.shape[3])
        return cls(x, misfit_of(problem.channel, y, flat, problem.task), lam, centring)

    def value_and_gradient(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The sum of the losses (a scalar tensor), and the gradients (B, d, p) of each in its W."""
        batch, tokens, n, d = self.x.shape
        p = w.shape[2]
        scale = 1.0 / (d * sqrt(p))
        y = torch.bmm(self.x.reshape(batch, tokens * n, d), w).reshape(batch, tokens, n, p)
        norms = w.square().sum(dim=(1, 2))
        scores = torch.einsum("kanp,kbnp->abkn", y, y) * scale
        if self.centring == "average":
            scores = scores - scores.mean(dim=3, keepdim=True)
        else:
            identity = torch.eye(tokens, dtype=w.dtype, device=w.device)
            scores = scores - identity[:, :, None, None] * (scale * norms)[:, None]
        value, flat = self.misfit(scores.reshape(tokens, tokens, batch * n))
        g = (flat + flat.transpose(0, 1)).reshape(tokens, tokens, batch, n) / 2
        trace = torch.zeros_like(norms)
        if self.centring == "average":
            g = g - g.mean(dim=3, keepdim=True)
        else:
            trace = g.diagonal(dim1=0, dim2=1).sum(dim=(1, 2))
        rows = torch.einsum("abkn,kbnp->kanp", g, y).reshape(batch, tokens * n, p)
        gradient = torch.bmm(self.x.reshape(batch, tokens * n, d).mT, rows) * (2.0 * scale)
        gradient += (2.0 * (self.lam - scale * trace))[:, None, None] * w
        return value + self.lam * norms.sum(), gradient
