"""What an estimator adds to the loss of a map at dimension d, with its proximal operator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from attlas.model import Estimator
from attlas.model.errors import BadInput
from attlas.verify.training.certificate import KKT, kkt_of
from attlas.verify.training.rank import non_zero

Array = np.ndarray


@dataclass(frozen=True)
class SpectralPenalty:
    """linear ||S||_* + (ridge/2) ||S||_F^2 over positive or symmetric S, in a summed loss.

    It is convex in S whatever the loss is. theory.md sections 2 and 11.
    """

    linear: float
    ridge: float
    positive: bool

    def scaled(self, share: float) -> SpectralPenalty:
        """The part of it that belongs to a share of the data."""
        return SpectralPenalty(self.linear * share, self.ridge * share, self.positive)

    def value(self, eigenvalues: Array) -> float:
        """The penalty; infinity outside its domain is left to :meth:`shrink`."""
        sizes = float(np.abs(eigenvalues).sum()), float(np.square(eigenvalues).sum())
        return self.linear * sizes[0] + self.ridge / 2 * sizes[1]

    def shrink(self, x: Array, step: float) -> Array:
        """Proximal operator: the minimiser in s of (s - x)^2/(2 step) + penalty(s)."""
        size = np.maximum((x if self.positive else np.abs(x)) - step * self.linear, 0.0)
        kept = size if self.positive else np.copysign(size, x)
        return kept / (1 + step * self.ridge)

    def slope(self, x: Array, step: float) -> Array:
        """Derivative of :meth:`shrink` in x."""
        size = x if self.positive else np.abs(x)
        kept = (size > step * self.linear) | (not self.positive and self.linear == 0)
        return kept / (1 + step * self.ridge)

    def estimate(self, x: Array, step: float) -> tuple[Array, Array]:
        """:meth:`shrink` and its slope: the map's step of message passing."""
        return self.shrink(x, step), self.slope(x, step)

    def kkt(self, s: Array, data_gradient: Array) -> KKT:
        """Residuals of stationarity at S, given the gradient of the data term in S.

        Of a symmetric map under a linear penalty, ``dual_violation`` is by how much the data pull
        harder than it on directions that S has not.
        """
        weight = self.linear + self.ridge
        h = data_gradient + self.ridge * s
        if self.positive:
            return kkt_of(s, h + self.linear * np.eye(len(s)), weight)
        violation = 0.0
        free = h
        if self.linear:
            values, vectors = np.linalg.eigh(s)
            live = non_zero(values, 1.0)
            own, null = vectors[:, live], vectors[:, ~live]
            h = h + self.linear * (own * np.sign(values[live])) @ own.T
            inner = null.T @ data_gradient @ null
            free = h - null @ inner @ null.T
            pulled = np.abs(np.linalg.eigvalsh(inner)).max(initial=0.0)
            violation = max(0.0, float(pulled) - self.linear) / weight
        scale = weight * max(float(np.linalg.norm(s)), sqrt(len(s)))
        return KKT(float(np.linalg.norm(free)) / scale, violation, h)

    def residual(self, s: Array, data_gradient: Array) -> float:
        """The larger one of :meth:`kkt`."""
        return self.kkt(s, data_gradient).residual

    def complement(self, eigenvalues: Array, vectors: Array, data_gradient: Array) -> float | None:
        """How hard the data pull on directions that S has not, relative to what would open them.

        At most 1 at a stationary point; None where there is no such direction, or no threshold.
        """
        null = vectors[:, ~non_zero(eigenvalues, 1.0)]
        if null.shape[1] == 0 or self.linear == 0:
            return None
        pulled = np.linalg.eigvalsh(-(null.T @ data_gradient @ null))
        return float(pulled[-1] if self.positive else np.abs(pulled).max()) / self.linear

    def prox(self, matrix: Array, step: float) -> tuple[Array, float]:
        """The proximal operator on a symmetric matrix, and the penalty of the result."""
        values, vectors = np.linalg.eigh(matrix)
        shrunk = self.shrink(values, step)
        live = shrunk != 0
        s = (vectors[:, live] * shrunk[live]) @ vectors[:, live].T
        return (s + s.T) / 2, self.value(shrunk)


def penalty_of(estimator: Estimator, lam: float, d: int, p: int) -> SpectralPenalty:
    """The penalty of an estimator at strength ``lam``, dimension d and width p.

    Raises
    ------
    BadInput
        If the estimator is no penalty on maps of any rank.
    """
    penalty = estimator.with_(lam=lam, kappa=Fraction(p, d)).penalty
    if penalty is None or penalty.limited:
        raise BadInput("training", estimator.name, "is no penalty on maps", "use `algorithm=adam`")
    return SpectralPenalty(
        d * float(penalty.linear), 2 * d * float(penalty.quadratic), penalty.positive
    )
