"""Covariance of the scores of a sample: what the Onsager term and the proximal step are built on.

D[p, p'] = (2/d) <Z_p, Z_p'> for pairs p = (a, b), a <= b, is each sample's own; its mean is
1 + delta_ab on the diagonal. theory.md section 10.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from attlas.verify.training.amp.pairs import pairs


@dataclass(frozen=True, eq=False)
class Metric:
    """D = L L^T of each sample.

    Attributes
    ----------
    covariance, root : Tensor (n, P, P)
        D and its lower Cholesky factor L; n may be 1 for a metric that all samples share.
    """

    covariance: torch.Tensor
    root: torch.Tensor

    def take(self, index: torch.Tensor) -> torch.Tensor:
        """L of some of the samples."""
        return self.root if len(self.root) == 1 else self.root[index]

    def apply(self, g: torch.Tensor) -> torch.Tensor:
        """D g for g of shape (n, P)."""
        return (self.covariance @ g[..., None])[..., 0]


def mean_metric(tokens: int, like: torch.Tensor) -> Metric:
    """1 + delta_ab for all samples."""
    weights = torch.from_numpy(pairs(tokens).weights).to(like)
    return Metric(torch.diag(weights)[None], torch.diag(weights.sqrt())[None])


def sample_metric(x: torch.Tensor) -> Metric:
    """Each sample's own covariance, from its Gram matrix alone.

    Parameters
    ----------
    x : Tensor (T, n, d)
        Tokens.

    Notes
    -----
    With G = x x^T/d: D = G_ac G_bd + G_ad G_bc - (2/d)(delta_ab G_cd + delta_cd G_ab
    - delta_ab delta_cd) for pairs (a, b) and (c, d).
    """
    tokens, _, d = x.shape
    layout = pairs(tokens)
    gram = torch.einsum("ani,bni->nab", x, x) / d
    a, b = torch.from_numpy(layout.first), torch.from_numpy(layout.second)
    equal = (a == b).to(x)
    rows, columns = gram[:, a], gram[:, b]
    covariance = rows[:, :, a] * columns[:, :, b] + rows[:, :, b] * columns[:, :, a]
    own = gram[:, a, b]
    covariance -= (2 / d) * (
        equal[:, None] * own[:, None, :] + own[:, :, None] * equal - equal[:, None] * equal
    )
    return Metric(covariance, torch.linalg.cholesky(covariance))
