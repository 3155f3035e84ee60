"""The test error of a softmax head whose scores are too sharp for a grid, from samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.scores import whitened_differences
from attlas.solver.channels.many_tokens.softmax_loss import softmax_rows

Array = NDArray[np.float64]


def sampled_distance(
    q: float, m: float, signal: float, normal: Array, beta: float, beta0: float
) -> float:
    """T times the mean squared distance of one row of softmax(beta0 z0) and of softmax(beta z).

    Parameters
    ----------
    q, m, signal : float
        (z0, z)_ab has covariance (1 + delta_ab) [[signal, m], [m, q]].
    normal : array (2 (T - 1), N)
        Standard normals: the differences within a row of z0, and of the rest of z.
    beta, beta0 : float
    """
    tokens = 1 + normal.shape[0] // 2
    basis = whitened_differences(np.array([2.0] + [1.0] * (tokens - 1)))
    first, second = basis @ normal[: tokens - 1], basis @ normal[tokens - 1 :]
    root = signal**0.5
    rest = max(q - m * m / signal, 0.0) ** 0.5
    label = softmax_rows((beta0 * root) * first[None])
    guess = softmax_rows((beta * m / root) * first[None] + (beta * rest) * second[None])
    return float(tokens * np.mean(np.sum((label - guess) ** 2, axis=1)))
