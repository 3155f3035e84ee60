"""The test error of a softmax head whose scores are too sharp for a grid, from samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.scores import whitened_differences
from attlas.solver.channels.many_tokens.softmax_loss import softmax_rows

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SampledRow:
    """T times the mean squared distance of one row of softmax(beta0 z0) and of softmax(beta z).

    Parameters
    ----------
    signal : float
        (z0, z)_ab has covariance (1 + delta_ab) [[signal, m], [m, q]].
    normal : array (2 (T - 1), N)
        Standard normals: the differences within a row of z0, and of the rest of z.
    beta, beta0 : float
    """

    signal: float
    normal: Array
    beta: float
    beta0: float

    def value(self, q: float, m: float) -> float:
        """The mean at overlaps q and m."""
        label, guess = self._rows(q, m)
        return float(len(label) * np.mean(np.sum((label - guess) ** 2, axis=0)))

    def slopes(self, q: float, m: float) -> tuple[float, float]:
        """Estimates of its derivatives in q and m.

        Notes
        -----
        theory.md section 20: Gaussian integration by parts, so that a covariance's derivative is
        an expectation of second derivatives. For beta = beta0 and equal rows 2 e_q + e_m vanishes
        sample by sample: the target is at rest whatever the nodes.
        """
        label, guess = self._rows(q, m)
        variance = _variances(len(label))[:, None]
        common = np.sum(label * guess, axis=0)
        square = np.sum(guess * guess, axis=0)
        bend = guess * (1 - 2 * guess) * (guess - label - square + common)
        in_q = np.sum(variance * (guess**2 * (1 - 2 * guess + square) + bend), axis=0)
        in_m = np.sum(variance * label * guess * (1 - label - guess + common), axis=0)
        scale = len(label) * self.beta
        return (
            float(scale * self.beta * np.mean(in_q)),
            float(-2 * scale * self.beta0 * np.mean(in_m)),
        )

    def _rows(self, q: float, m: float) -> tuple[Array, Array]:
        """One row of softmax(beta0 z0) and of softmax(beta z), each of shape (T, N)."""
        tokens = 1 + self.normal.shape[0] // 2
        basis = whitened_differences(_variances(tokens))
        first, second = basis @ self.normal[: tokens - 1], basis @ self.normal[tokens - 1 :]
        root = self.signal**0.5
        rest = max(q - m * m / self.signal, 0.0) ** 0.5
        label = softmax_rows((self.beta0 * root) * first[None])
        guess = softmax_rows(
            (self.beta * m / root) * first[None] + (self.beta * rest) * second[None]
        )
        return label[0], guess[0]


def _variances(tokens: int) -> Array:
    """Of the scores of a row: one on the diagonal, the others off it."""
    return np.array([2.0] + [1.0] * (tokens - 1))
