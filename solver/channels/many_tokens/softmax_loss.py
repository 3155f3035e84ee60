"""The squared loss between rows of softmax, with its first two derivatives, for many samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.scores import ReducedScores

Array = NDArray[np.floating]
Selection = NDArray[np.intp] | NDArray[np.bool_]


def softmax_rows(scores: Array) -> Array:
    """Softmax over the second axis of an array (T, T, N) of scores, without overflow."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


@dataclass(frozen=True)
class Prediction:
    """The student's attention at given coordinates, and how it misses the labels.

    Attributes
    ----------
    attention, miss : array (T, T, N)
        p and y - p.
    """

    attention: Array
    miss: Array

    def take(self, index: Selection) -> Prediction:
        """Those of some of the samples."""
        return Prediction(self.attention[:, :, index], self.miss[:, :, index])


@dataclass(frozen=True)
class SoftmaxLoss:
    """sum_ab (y_ab - softmax_rows(beta h)_ab)^2 in the coordinates zeta of shape (D, N).

    Parameters
    ----------
    labels : array (T, T, N)
        y, one row of probabilities for each token.
    beta : float
    scores : ReducedScores
    """

    labels: Array
    beta: float
    scores: ReducedScores

    def take(self, index: Selection) -> SoftmaxLoss:
        """The loss of some of the samples."""
        return SoftmaxLoss(self.labels[:, :, index], self.beta, self.scores)

    def single(self) -> SoftmaxLoss:
        """The same loss in single precision."""
        return SoftmaxLoss(self.labels.astype(np.float32), self.beta, self.scores.single)

    def predict(self, zeta: Array) -> Prediction:
        """The student's attention at zeta."""
        attention = attention_at(zeta, self.beta, self.scores)
        return Prediction(attention, self.labels - attention)

    @staticmethod
    def value(prediction: Prediction) -> Array:
        """The loss, shape (N,)."""
        return np.einsum("ijn,ijn->n", prediction.miss, prediction.miss)

    def gradient(self, prediction: Prediction) -> Array:
        """Its gradient in zeta, shape (D, N)."""
        p, miss = prediction.attention, prediction.miss
        centred = miss - np.sum(p * miss, axis=1, keepdims=True)
        tokens = self.scores.tokens
        pulled = (p * centred).reshape(tokens * tokens, -1)
        return (-2 * self.beta) * (self.scores.rows.reshape(tokens * tokens, -1).T @ pulled)

    def curvature(self, prediction: Prediction, *, positive_part: bool = False) -> Array:
        """Its Hessian in zeta, shape (D, D, N).

        Parameters
        ----------
        prediction : Prediction
        positive_part : bool
            Whether to leave out the curvature of the softmax (Gauss-Newton).

        Notes
        -----
        With c the miss y - p less its mean under p and a = c - p, the Hessian in the scores of a
        row is -2 diag(p a) + 2 p_j p_k (a_j + a_k + |p|^2); Gauss-Newton's has a = -p.
        """
        p, miss = prediction.attention, prediction.miss
        bend = -p
        if not positive_part:
            bend += miss - np.sum(p * miss, axis=1, keepdims=True)
        square = np.einsum("ijn,ijn->in", p, p)
        first, second = np.tril_indices(self.scores.tokens)
        product = p * bend
        rows = product[:, first] * p[:, second]
        rows += p[:, first] * product[:, second]
        rows += square[:, None] * (p[:, first] * p[:, second])
        rows[:, first == second] -= product
        flat = rows.reshape(-1, p.shape[-1])
        dimension = self.scores.dimension
        hessian = (2 * self.beta**2) * (self.scores.curvature_map @ flat)
        return hessian.reshape(dimension, dimension, -1)


def attention_at(zeta: Array, beta: float, scores: ReducedScores) -> Array:
    """softmax_rows(beta h) at coordinates zeta (D, N); shape (T, T, N)."""
    tokens = scores.tokens
    h = scores.rows.reshape(tokens * tokens, -1) @ zeta
    h *= beta
    return softmax_rows(h.reshape(tokens, tokens, -1))
