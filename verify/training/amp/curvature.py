"""Value, gradient and Hessian of the loss in the scores of each sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch

import torch

from attlas.verify.training.amp.pairs import pairs
from attlas.verify.training.losses import (
    CrossEntropyMisfit,
    LinearMisfit,
    Misfit,
    SoftmaxMisfit,
)


@dataclass(frozen=True, eq=False)
class Expansion:
    """The loss about some scores, in the pairs a <= b.

    Attributes
    ----------
    value : Tensor (n,)
    gradient : Tensor (n, P)
        P = T(T+1)/2; the derivative in h_ab = h_ba.
    hessian, positive : Tensor (n, P, P)
        The Hessian, and its Gauss-Newton part, which is positive semi-definite.
    """

    value: torch.Tensor
    gradient: torch.Tensor
    hessian: torch.Tensor
    positive: torch.Tensor


@singledispatch
def expand(misfit: Misfit, scores: torch.Tensor, index: torch.Tensor) -> Expansion:
    """The loss of the samples ``index`` about their scores (len(index), T, T).

    Of a loss of which no more is known the derivatives are automatic; the positive part of its
    Hessian is the one of the same eigenvectors with the eigenvalues' sizes.
    """
    layout = pairs(scores.shape[1])
    with torch.enable_grad():
        h = layout.pick(scores).detach().requires_grad_()
        value = misfit.of(index).per_sample(layout.scores(h).permute(1, 2, 0))
        (gradient,) = torch.autograd.grad(value.sum(), h, create_graph=True)
        rows = [_slope(gradient[:, one], h) for one in range(layout.size)]
    hessian = torch.stack(rows, dim=1)
    sizes, turns = torch.linalg.eigh(hessian)
    positive = (turns * sizes.abs()[:, None, :]) @ turns.mT
    return Expansion(value.detach(), gradient.detach(), hessian, positive)


def _slope(gradient: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """The derivative of one entry of each sample's gradient; 0 where it is constant."""
    if not gradient.requires_grad:
        return torch.zeros_like(h)
    (found,) = torch.autograd.grad(gradient.sum(), h, retain_graph=True, allow_unused=True)
    return torch.zeros_like(h) if found is None else found


@expand.register
def _(misfit: LinearMisfit, scores: torch.Tensor, index: torch.Tensor) -> Expansion:
    miss = scores[:, 0, 0] - misfit.labels[0, 0, index]
    two = torch.full_like(miss, 2.0)[:, None, None]
    return Expansion(miss.square(), 2 * miss[:, None], two, two)


@expand.register
def _(misfit: SoftmaxMisfit, scores: torch.Tensor, index: torch.Tensor) -> Expansion:
    """The loss is a sum over rows of r G r with r = p - y and G = 1, or x x^T/d for seq2seq.

    In one row, with u = G r, centred u - p.u, and K_jk = G_jk - (Gp)_j - (Gp)_k + pGp:
    gradient 2 beta p (u - p.u), Gauss-Newton 2 beta^2 p_j p_k K_jk, and the rest of the Hessian
    2 beta^2 [p_j (delta_jk - p_k)(u_j - p.u) - p_j p_k (u_k - p.u)].
    """
    layout, beta = pairs(scores.shape[1]), misfit.beta
    p = torch.softmax(beta * scores, dim=2)
    miss = p - misfit.labels[:, :, index].permute(2, 0, 1)
    identity = torch.eye(layout.tokens, dtype=p.dtype, device=p.device)
    if misfit.gram is None:
        pulled, smoothed = miss, p
        metric = identity
    else:
        metric = misfit.gram[:, :, index].permute(2, 0, 1)
        pulled, smoothed = miss @ metric, p @ metric
        metric = metric[:, None]
    centred = pulled - (p * pulled).sum(dim=2, keepdim=True)
    product = p[..., :, None] * p[..., None, :]
    self_term = (p * smoothed).sum(dim=2)[..., None, None]
    kernel = metric - smoothed[..., :, None] - smoothed[..., None, :] + self_term
    positive = product * kernel
    pulled_by = p * centred
    rest = torch.diag_embed(pulled_by) - product * (centred[..., :, None] + centred[..., None, :])
    scale = 2 * beta * beta
    return Expansion(
        (miss * pulled).sum(dim=(1, 2)),
        layout.gather(2 * beta * pulled_by),
        layout.gather_twice(scale * (positive + rest)),
        layout.gather_twice(scale * positive),
    )


@expand.register
def _(misfit: CrossEntropyMisfit, scores: torch.Tensor, index: torch.Tensor) -> Expansion:
    """Gradient beta (p - y) and Hessian beta^2 (diag(p) - p p^T) of each row."""
    layout, beta = pairs(scores.shape[1]), misfit.beta
    p = torch.softmax(beta * scores, dim=2)
    y = misfit.labels[:, :, index].permute(2, 0, 1)
    bend = torch.diag_embed(p) - p[..., :, None] * p[..., None, :]
    bend = layout.gather_twice(beta * beta * bend)
    return Expansion(
        -(y * torch.log_softmax(beta * scores, dim=2)).sum(dim=(1, 2)) - misfit.entropy[index],
        layout.gather(beta * (p - y)),
        bend,
        bend,
    )
