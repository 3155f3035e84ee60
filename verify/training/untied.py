"""Untied factors: M = U V^T/sqrt(p d) without symmetry, and the nuclear norm of M.

min over U, V of sum l(M) + (lam/2)(|U|^2 + |V|^2) equals min over M of sum l(M) + d lam_tilde
||M||_*, because ||M||_* is the least (|U|^2 + |V|^2)/2 over U V^T = M. theory.md section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np
import torch

from attlas.model import Problem
from attlas.verify.data.rows import Rows
from attlas.verify.training import lbfgs
from attlas.verify.training.fista import Minimised, minimise
from attlas.verify.training.losses import Misfit, Objective, misfit_of

Array = np.ndarray


class MapObjective(Protocol):
    """The data term of any map, with its gradient."""

    @property
    def x(self) -> torch.Tensor: ...

    def value_and_gradient(self, m: Array) -> tuple[float, Array]: ...


@dataclass(frozen=True, eq=False)
class RowsObjective:
    """sum_rows l(y, x^T M x'/sqrt(d)) of queries and keys from different tokens, M any matrix.

    Attributes
    ----------
    x : Tensor (N, d)
        Queries.
    keys : Tensor (K, N, d)
    misfit : Misfit
        Of scores (1, K, N).
    """

    x: torch.Tensor
    keys: torch.Tensor
    misfit: Misfit

    @classmethod
    def of(
        cls, problem: Problem, rows: Rows, device: torch.device, dtype: torch.dtype = torch.float64
    ) -> RowsObjective:
        """The data of a problem's rows."""
        x, keys, labels = (
            torch.from_numpy(one).to(device, dtype) for one in (rows.x, rows.keys, rows.labels)
        )
        return cls(x, keys, misfit_of(problem.channel, labels, x[None], problem.task))

    def of_map(self, m: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The data term and its gradient in M."""
        root = sqrt(self.x.shape[1])
        scores = torch.einsum("ni,kni->kn", self.x @ m, self.keys)[None] / root
        value, g = self.misfit(scores)
        pulled = torch.einsum("kn,kni->ni", g[0], self.keys)
        return value, self.x.mT @ pulled / root

    def value_and_gradient(self, m: Array) -> tuple[float, Array]:
        """The same of an array."""
        value, gradient = self.of_map(torch.from_numpy(m).to(self.x))
        return float(value), gradient.cpu().double().numpy()

    def on_factors(self, lam: float, p: int) -> FactorObjective:
        """With the weight decay of both factors."""
        return FactorObjective(self, lam / 2, 1 / sqrt(p * self.x.shape[1]))


@dataclass(frozen=True, eq=False)
class FactorObjective:
    """The data term of W_Q W_K^T/sqrt(p d) and lam ||W||_F^2, W both factors, one on the other.

    Attributes
    ----------
    rows : RowsObjective
    lam : float
        Half the weight decay.
    scale : float
        1/sqrt(p d).
    """

    rows: RowsObjective
    lam: float
    scale: float

    @property
    def x(self) -> torch.Tensor:
        return self.rows.x

    def value_and_gradient(self, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """L(W) and its gradient, shape (2d, p)."""
        wq, wk = w.tensor_split(2)
        value, gradient = self.rows.of_map(self.scale * wq @ wk.mT)
        pulled = self.scale * torch.cat([gradient @ wk, gradient.mT @ wq])
        return value + self.lam * (w * w).sum(), pulled + 2 * self.lam * w


@dataclass(frozen=True, eq=False)
class UntiedObjective:
    """sum_mu l(y_mu, h_mu(M)) with h_ab = (x_a^T M x_b - delta_ab Tr M)/sqrt(d), M any matrix.

    Attributes
    ----------
    x : Tensor (T, n, d)
    misfit : Misfit
    """

    x: torch.Tensor
    misfit: Misfit

    @classmethod
    def of(cls, objective: Objective) -> UntiedObjective:
        """The data of an objective."""
        return cls(objective.x, objective.misfit)

    def value_and_gradient(self, m: Array) -> tuple[float, Array]:
        """The data term and its gradient in M, shape (d, d)."""
        tokens, n, d = self.x.shape
        matrix = torch.from_numpy(m).to(self.x)
        images = (self.x.reshape(tokens * n, d) @ matrix.mT).reshape(tokens, n, d)
        scores = torch.einsum("ani,bni->abn", self.x, images) / sqrt(d)
        trace = matrix.diagonal().sum() / sqrt(d)
        for a in range(tokens):
            scores[a, a] -= trace
        value, g = self.misfit(scores)
        weighted = torch.einsum("abn,bni->ani", g, self.x)
        gradient = self.x.reshape(tokens * n, d).mT @ weighted.reshape(tokens * n, d)
        gradient.diagonal().sub_(g.diagonal(dim1=0, dim2=1).sum())
        return float(value), (gradient / sqrt(d)).cpu().numpy()


def train_map(
    objective: MapObjective, weight: float, *, tolerance: float, start: Array | None = None
) -> Minimised:
    """Minimise data + weight ||M||_* by FISTA, with thresholded singular values."""

    def prox(matrix: Array, step: float) -> tuple[Array, float]:
        left, singular, right = np.linalg.svd(matrix, full_matrices=False)
        shrunk = np.maximum(singular - step * weight, 0.0)
        return (left * shrunk) @ right, weight * float(shrunk.sum())

    def residual(m: Array, gradient: Array) -> float:
        return nuclear_residual(m, gradient, weight)

    begin = np.eye(objective.x.shape[-1]) if start is None else start
    return minimise(objective.value_and_gradient, prox, residual, begin, tolerance=tolerance)


def subgradient_residuals(m: Array, gradient: Array, weight: float) -> tuple[float, float]:
    """Complementary slackness and dual violation of data + weight ||M||_* at M.

    M is stationary where -gradient has operator norm at most the weight, and its product with M
    is weight ||M||_*.
    """
    nuclear = float(np.linalg.norm(m, "nuc"))
    slack = abs(float(np.vdot(gradient, m)) / weight + nuclear) / max(nuclear, sqrt(len(m)))
    return slack, max(0.0, float(np.linalg.norm(gradient, 2)) / weight - 1)


def nuclear_residual(m: Array, gradient: Array, weight: float) -> float:
    """How far -gradient is from weight times the subdifferential of the nuclear norm at M.

    On the singular vectors of M it must be the identity, off them of operator norm at most 1.
    """
    left, singular, right = np.linalg.svd(m)
    rank = int(np.sum(singular > 1e-7 * max(float(singular[0]), 1.0)))
    turned = -(left.T @ gradient @ right.T) / weight
    live = turned.copy()
    live[:rank, :rank] -= np.eye(rank)
    live[rank:, rank:] = 0
    beyond = turned[rank:, rank:]
    outside = float(np.linalg.norm(beyond, 2)) - 1 if beyond.size else 0.0
    return max(float(np.linalg.norm(live)) / sqrt(len(m)), outside)


@dataclass(frozen=True, eq=False)
class UntiedFactors:
    """Where L-BFGS on both factors ended.

    Attributes
    ----------
    m : ndarray (d, d)
        U V^T/sqrt(p d).
    objective : float
    half_norm : float
        (|U|^2 + |V|^2)/2.
    residual : float
        Gradient norm over lam times the larger of the factors' norm and sqrt(2 p d).
    """

    m: Array
    objective: float
    half_norm: float
    residual: float


def train_factors(
    objective: UntiedObjective, lam: float, p: int, start: Array, *, tolerance: float
) -> UntiedFactors:
    """Minimise data + (lam/2)(|U|^2 + |V|^2) by L-BFGS.

    Parameters
    ----------
    objective : UntiedObjective
    lam : float > 0
    p : int
        Columns of U and V.
    start : ndarray (2, d, p)
    tolerance : float > 0
    """
    d = objective.x.shape[2]
    scale = 1 / sqrt(p * d)

    def evaluate(flat: Array) -> tuple[float, Array]:
        u, v = flat.reshape(2, d, p)
        value, gradient = objective.value_and_gradient(scale * u @ v.T)
        pulled = scale * np.stack([gradient @ v, gradient.T @ u])
        return value + lam / 2 * float(flat @ flat), pulled.ravel() + lam * flat

    def residual(flat: Array, gradient: Array) -> float:
        size = max(float(np.linalg.norm(flat)), sqrt(2 * p * d))
        return float(np.linalg.norm(gradient)) / (lam * size)

    found = lbfgs.minimise(evaluate, residual, start.ravel(), tolerance=tolerance)
    u, v = found.x.reshape(2, d, p)
    return UntiedFactors(scale * u @ v.T, found.value, float(found.x @ found.x) / 2, found.residual)
