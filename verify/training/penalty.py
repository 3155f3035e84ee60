"""What each estimator adds to the loss of a map, with its proximal operator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch
from math import sqrt

import numpy as np

from attlas.model import Direct, DirectPSD, Estimator, Factorised
from attlas.model.errors import BadInput
from attlas.verify.training.certificate import KKT, kkt_of
from attlas.verify.training.rank import non_zero

Array = np.ndarray


class SpectralPenalty(ABC):
    """A penalty on the eigenvalues of a symmetric map S, in the loss summed over samples.

    It is convex in S whatever the loss is. theory.md sections 2 and 11.
    """

    @abstractmethod
    def value(self, eigenvalues: Array) -> float:
        """The penalty; infinity outside its domain is left to :meth:`shrink`."""

    @abstractmethod
    def shrink(self, x: Array, step: float) -> Array:
        """Proximal operator: the minimiser in s of (s - x)^2/(2 step) + penalty(s)."""

    @abstractmethod
    def slope(self, x: Array, step: float) -> Array:
        """Derivative of :meth:`shrink` in x."""

    def estimate(self, x: Array, step: float) -> tuple[Array, Array]:
        """:meth:`shrink` and its slope: the map's step of message passing."""
        return self.shrink(x, step), self.slope(x, step)

    @abstractmethod
    def kkt(self, s: Array, data_gradient: Array) -> KKT:
        """Residuals of stationarity at S, given the gradient of the data term in S."""

    def residual(self, s: Array, data_gradient: Array) -> float:
        """The larger one of :meth:`kkt`."""
        return self.kkt(s, data_gradient).residual

    def complement(self, eigenvalues: Array, vectors: Array, data_gradient: Array) -> float | None:  # noqa: ARG002
        """How hard the data pull on directions that S has not, relative to what would open them.

        At most 1 at a stationary point of a nuclear norm; None where a penalty has no threshold.
        """
        return None

    def prox(self, matrix: Array, step: float) -> tuple[Array, float]:
        """The proximal operator on a symmetric matrix, and the penalty of the result."""
        values, vectors = np.linalg.eigh(matrix)
        shrunk = self.shrink(values, step)
        live = shrunk != 0
        s = (vectors[:, live] * shrunk[live]) @ vectors[:, live].T
        return (s + s.T) / 2, self.value(shrunk)


@dataclass(frozen=True)
class PositiveTrace(SpectralPenalty):
    """weight Tr S over S >= 0, the nuclear norm of factorised training: weight = d lam_tilde."""

    weight: float

    def value(self, eigenvalues: Array) -> float:
        return self.weight * float(eigenvalues.sum())

    def shrink(self, x: Array, step: float) -> Array:
        return np.maximum(x - step * self.weight, 0.0)

    def slope(self, x: Array, step: float) -> Array:
        return (x > step * self.weight).astype(float)

    def kkt(self, s: Array, data_gradient: Array) -> KKT:
        return kkt_of(s, data_gradient + self.weight * np.eye(len(s)), self.weight)

    def complement(self, eigenvalues: Array, vectors: Array, data_gradient: Array) -> float | None:
        null = vectors[:, ~non_zero(eigenvalues, 1.0)]
        if null.shape[1] == 0:
            return None
        pulled = np.linalg.eigvalsh(-(null.T @ data_gradient @ null))
        return float(pulled[-1]) / self.weight


@dataclass(frozen=True)
class Frobenius(SpectralPenalty):
    """(weight/2) ||S||_F^2 over symmetric S: weight = d lam."""

    weight: float

    def value(self, eigenvalues: Array) -> float:
        return self.weight / 2 * float(np.square(eigenvalues).sum())

    def shrink(self, x: Array, step: float) -> Array:
        return x / (1 + step * self.weight)

    def slope(self, x: Array, step: float) -> Array:
        return np.full_like(x, 1 / (1 + step * self.weight))

    def kkt(self, s: Array, data_gradient: Array) -> KKT:
        h = data_gradient + self.weight * s
        scale = self.weight * max(float(np.linalg.norm(s)), sqrt(len(s)))
        return KKT(float(np.linalg.norm(h)) / scale, 0.0, h)


@dataclass(frozen=True)
class PositiveFrobenius(SpectralPenalty):
    """(weight/2) ||S||_F^2 over S >= 0: weight = d lam."""

    weight: float

    def value(self, eigenvalues: Array) -> float:
        return self.weight / 2 * float(np.square(eigenvalues).sum())

    def shrink(self, x: Array, step: float) -> Array:
        return np.maximum(x, 0.0) / (1 + step * self.weight)

    def slope(self, x: Array, step: float) -> Array:
        return (x > 0) / (1 + step * self.weight)

    def kkt(self, s: Array, data_gradient: Array) -> KKT:
        return kkt_of(s, data_gradient + self.weight * s, self.weight)


@singledispatch
def penalty_of(estimator: Estimator, lam: float, d: int, p: int) -> SpectralPenalty:  # noqa: ARG001
    """The penalty of an estimator at weight ``lam``, dimension d and width p.

    Raises
    ------
    BadInput
        If the estimator is no penalty on maps; a new one registers its own.
    """
    raise BadInput("training", estimator.name, "is no penalty on maps", "use `algorithm=adam`")


@penalty_of.register
def _(estimator: Factorised, lam: float, d: int, p: int) -> SpectralPenalty:  # noqa: ARG001
    return PositiveTrace(lam * sqrt(p * d))


@penalty_of.register
def _(estimator: Direct, lam: float, d: int, p: int) -> SpectralPenalty:  # noqa: ARG001
    return Frobenius(lam * d)


@penalty_of.register
def _(estimator: DirectPSD, lam: float, d: int, p: int) -> SpectralPenalty:  # noqa: ARG001
    return PositiveFrobenius(lam * d)
