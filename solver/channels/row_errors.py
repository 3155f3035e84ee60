"""How far a student's attention is from the teacher's, and how often its best token is right."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from attlas.model import Channel
from attlas.model.channels import label_strength
from attlas.solver.channels.kernel import ChannelKernel

Array = NDArray[np.float64]

#: Nodes of each variable, finer until nine digits agree.
_SIZES, _AGREED = (16, 24, 36, 54), 1e-9
#: Radii beyond this have no weight in double precision.
_REACH = 9.0


def row_errors(
    channel: Channel,
    kernel: ChannelKernel | None,
    q: float,
    m: float,
    q0: float,
    mse: float | None,
) -> dict[str, float]:
    """Squared distance of the attention matrices, and accuracy; nothing without their kernel.

    The accuracy is the probability that the student's likeliest token of a row is the one that is
    drawn from the teacher's noisy softmax. theory.md section 18.
    """
    if kernel is None:
        return {}
    attention: Any = channel.attention
    square = kernel.test_errors(q, m, q0, mse).clean
    signal = label_strength(q0, float(channel.noise))
    rest = max(signal - m * m / q, 0.0) ** 0.5 if q > 0 else signal**0.5
    known = m / q**0.5 if q > 0 else 0.0
    value = before = np.inf
    for size in _SIZES:
        value = _accuracy(attention.tokens, float(attention.beta0), known, rest, size)
        if abs(value - before) <= _AGREED:
            break
        before = value
    return {"square": square, "accuracy": float(value)}


def _accuracy(tokens: int, beta0: float, known: float, rest: float, size: int) -> float:
    """The mean of softmax(beta0 z)_b at the b that is the largest of h.

    A row has one diagonal score, of twice the variance of the others. In polar coordinates of its
    differences the best token changes with the direction alone, and all else is smooth.
    """
    # Differences from the diagonal score, over the root of an off-diagonal variance.
    root: Array = np.linalg.cholesky(np.eye(tokens - 1) + 2.0).astype(np.float64)
    x, weight = _legendre(0.0, _REACH, size)
    weight = weight * x ** (tokens - 2) * np.exp(-0.5 * x * x)
    weight /= weight.sum()
    node, share = np.polynomial.hermite_e.hermegauss(size)
    grid = np.meshgrid(*[node] * (tokens - 1), indexing="ij")
    open_ = rest * root @ np.stack(grid).reshape(tokens - 1, -1)
    share = np.prod(np.meshgrid(*[share] * (tokens - 1), indexing="ij"), axis=0).ravel()
    share = share / share.sum()
    total = 0.0
    for direction, chance in _directions(root, size):
        seen = root @ direction
        best = int(np.argmax([0.0, *seen]))
        scores = known * np.multiply.outer(seen, x)[:, :, None] + open_[:, None, :]
        scores = np.concatenate([np.zeros((1, *scores.shape[1:])), scores])
        total += chance * float(weight @ softmax(beta0 * scores, axis=0)[best] @ share)
    return total


def _directions(root: Array, size: int) -> list[tuple[Array, float]]:
    """Unit vectors of one or two dimensions, with weights that sum to one."""
    if len(root) == 1:
        return [(np.array([sign]), 0.5) for sign in (1.0, -1.0)]
    # The rays where two scores are equal and the third is lower.
    ties = np.linalg.solve(root, np.array([[0.0, -1.0, 1.0], [-1.0, 0.0, 1.0]]))
    angles = np.sort(np.arctan2(ties[1], ties[0]))
    found: list[tuple[Array, float]] = []
    for low, high in pairwise([*angles, angles[0] + 2 * np.pi]):
        for angle, weight in zip(*_legendre(low, high, size), strict=True):
            found.append((np.array([np.cos(angle), np.sin(angle)]), weight / (2 * np.pi)))
    return found


def _legendre(low: float, high: float, size: int) -> tuple[Array, Array]:
    x, weight = np.polynomial.legendre.leggauss(size)
    return low + (high - low) * (x + 1) / 2, weight * (high - low) / 2
