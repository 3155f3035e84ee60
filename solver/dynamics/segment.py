"""A stretch of time in which the slopes of the loss are known: every mode follows exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.floating]

_DEGREE = 11
#: Where in a segment its slopes are held, as shares of its length: Chebyshev points.
NODES: Array = (1 + chebyshev.chebpts1(_DEGREE + 1)) / 2
#: Gauss nodes of each part of a segment; each part is half as long as the one before.
_GAUSS = 10
#: Parts are halved towards the end until no mode grows by more than exp(this) in the last.
_GROWTH = 10.0
_MOST_HALVINGS = 60


@dataclass(frozen=True)
class Segment:
    """The flow from one step to the next.

    Attributes
    ----------
    begin, length : float
        In time.
    log_x : array, shape (M,)
        Logarithms of the eigenvalues of S at the beginning.
    slopes : array, shape (12, 2)
        (e_q, e_m) at :data:`NODES`.
    """

    begin: float
    length: float
    log_x: Array
    slopes: Array

    @property
    def end(self) -> float:
        return self.begin + self.length

    def slopes_after(self, shares: Array) -> Array:
        """(e_q, e_m) after shares of the length, shape (shares, 2)."""
        return _values(shares) @ self.slopes

    def after(self, share: float, s: Array, decay: float) -> Array:
        """Logarithms of the eigenvalues of S after a share of the length, at modes s.

        Notes
        -----
        theory.md section 20: 1/x is linear in its past. With P the growth of log x without
        saturation, 1/x(t) = exp(-P(t))/x(0) + int 4 e_q exp(P(tau) - P(t)) dtau. Near its end a
        fast mode forgets the rest of the segment: the nodes crowd there.
        """
        length = share * self.length
        slopes = self.slopes if share == 1 else self.slopes_after(share * NODES)
        fastest = 2 * length * (float(np.abs(slopes[:, 1]).max() * s.max()) + decay)
        halvings = int(np.ceil(np.log2(max(fastest / _GROWTH, 1.0))))
        rule = _rule(min(halvings, _MOST_HALVINGS))
        left = np.multiply.outer(-length * (rule.remaining @ slopes[:, 1]), 2 * s)
        left -= (2 * decay * length * (1 - rule.share))[:, None]
        drawn = (4 * length * rule.weight * (rule.values @ slopes[:, 0])) @ np.exp(-left)
        grown = self.log_x - 2 * length * float(rule.whole @ slopes[:, 1]) * s - 2 * decay * length
        # 1/x = exp(-grown) + drawn, without overflow where x is tiny.
        early = grown - np.log1p(drawn * np.exp(np.minimum(grown, 0.0)))
        learned = -np.log(np.exp(-np.maximum(grown, 0.0)) + np.where(grown > 0, drawn, 1.0))
        return np.where(grown > 0, learned, early)


@dataclass(frozen=True)
class _Rule:
    """Quadrature over a segment, by matrices that act on slopes at :data:`NODES`.

    Attributes
    ----------
    share, weight : array (N,)
        Nodes in (0, 1), crowded towards 1, and their weights.
    values, remaining : array (N, 12)
        To the slopes there, and to their integrals from there to 1.
    whole : array (12,)
        To the integral from 0 to 1.
    """

    share: Array
    weight: Array
    values: Array
    remaining: Array
    whole: Array


@lru_cache(maxsize=_MOST_HALVINGS + 1)
def _rule(halvings: int) -> _Rule:
    nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
    edges = np.append(1 - 0.5 ** np.arange(halvings + 1), 1.0)
    half = np.diff(edges) / 2
    share = (edges[:-1, None] + half[:, None] * (1 + nodes)).ravel()
    weight = (half[:, None] * weights).ravel()
    remaining = _remaining(share)
    return _Rule(share, weight, _values(share), remaining, _remaining(np.zeros(1))[0])


def _values(share: Array) -> Array:
    """Interpolation from NODES, of shares in [0, 1]."""
    angle = np.arccos(np.clip(2 * share - 1, -1.0, 1.0))
    return np.cos(np.multiply.outer(angle, _DEGREES)) @ _COEFFICIENTS


def _remaining(share: Array) -> Array:
    """Integration from a share to 1."""
    integral = chebyshev.chebint(np.eye(_DEGREE + 1), axis=0) / 2
    at = chebyshev.chebvander(2 * share - 1, _DEGREE + 1) @ integral
    return (np.sum(integral, axis=0) - at) @ _COEFFICIENTS


_DEGREES: Array = np.arange(_DEGREE + 1, dtype=float)
_COEFFICIENTS: Array = np.linalg.inv(chebyshev.chebvander(2 * NODES - 1, _DEGREE))
