"""The test error of a softmax head with any number of tokens, as a two-dimensional integral."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

Array = NDArray[np.float64]

#: Spacing of nodes on the scale of a Gumbel variable, for which the trapezoidal rule errs by
#: exp(-pi^2 / spacing).
_SPACING = 0.45
#: Spacing at which the smoothed Gumbel law is tabulated.
_TABLE_SPACING = 0.02
#: Reach of the normals in standard deviations, and of a Gumbel variable below and above.
_REACH, _BELOW, _ABOVE = 7.0, 4.0, 26.0
#: Largest standard deviation of a score for which the grid stays small.
_SHARPEST = 20.0


@dataclass(frozen=True)
class ScoreLaw:
    """Two correlated scores with unit variance factor: u = first a, v = shared a + own b."""

    first: float
    shared: float
    own: float

    def scaled(self, factor: float) -> ScoreLaw:
        """The law of both scores times a factor."""
        return ScoreLaw(factor * self.first, factor * self.shared, factor * self.own)


def is_smooth(q: float, signal: float, beta: float, beta0: float) -> bool:
    """Whether the scores are smooth enough for :func:`squared_distance`."""
    return 2 * max(beta0**2 * signal, beta**2 * q) <= _SHARPEST**2


def squared_distance(
    q: float, m: float, signal: float, *, tokens: int, beta: float, beta0: float
) -> float:
    """T times the mean squared distance of one row of softmax(beta0 z0) and of softmax(beta z).

    Parameters
    ----------
    q, m, signal : float
        (z0, z)_ab has covariance (1 + delta_ab) [[signal, m], [m, q]].
    tokens : int
        T. All rows have the same law: one entry on the diagonal, T - 1 off it.
    beta, beta0 : float

    Notes
    -----
    A softmax is the law of the largest entry after independent Gumbel noise. So sum_j y_j p_j is
    the probability that two noisy rows have the same largest entry; the entries are independent,
    and only an integral over the values of the two maxima remains.
    """
    root = signal**0.5
    own = max(q - m * m / signal, 0.0) ** 0.5
    label, guess = beta0 * root, beta * max(q, 0.0) ** 0.5
    both = agreement(ScoreLaw(label, beta * m / root, beta * own), tokens)
    return tokens * (
        agreement(ScoreLaw(label, label, 0.0), tokens)
        + agreement(ScoreLaw(guess, guess, 0.0), tokens)
        - 2 * both
    )


@lru_cache(maxsize=64)
def agreement(law: ScoreLaw, tokens: int) -> float:
    """Mean of sum_j y_j p_j over rows y = softmax(u), p = softmax(v) of T entries.

    Parameters
    ----------
    law : ScoreLaw
        Of the entries off the diagonal; the one on it has twice their covariance.
    tokens : int
    """
    on = law.scaled(2**0.5)
    x = _axis(on.first)
    y = _axis((on.shared**2 + on.own**2) ** 0.5)
    on_below, on_density = _joint(on, x, y)
    off_below, off_density = _joint(law, x, y)
    integrand = off_below ** (tokens - 2) * (
        on_density * off_below + (tokens - 1) * off_density * on_below
    )
    return float((x[1] - x[0]) * (y[1] - y[0]) * np.sum(integrand))


def _joint(law: ScoreLaw, x: Array, y: Array) -> tuple[Array, Array]:
    """Distribution function and density of (u + Gumbel, v + Gumbel) on a grid, (X, Y)."""
    a, weight = _normal(max(law.first, abs(law.shared)))
    first, first_density = _gumbel(x[:, None] - law.first * a)
    below, density = _smoothed_gumbel(law.own, y, law.shared, a)
    return (first * weight) @ below, (first_density * weight) @ density


def _smoothed_gumbel(own: float, y: Array, shared: float, a: Array) -> tuple[Array, Array]:
    """Distribution function and density of own b + Gumbel at y - shared a, shape (A, Y)."""
    b, weight = _normal(own)
    margin = _TABLE_SPACING + abs(shared) * a[-1]
    low, high = y[0] - margin, y[-1] + margin
    table = np.linspace(low, high, 2 + int((high - low) / _TABLE_SPACING))
    below, density = np.zeros(table.size), np.zeros(table.size)
    for point, mass in zip(b, weight, strict=True):
        values = _gumbel(table - own * point)
        below += mass * values[0]
        density += mass * values[1]
    where = y[None, :] - shared * a[:, None]
    return CubicSpline(table, below)(where), CubicSpline(table, density)(where)


def _gumbel(x: Array) -> tuple[Array, Array]:
    """Distribution function exp(-exp(-x)) and density of a Gumbel variable."""
    decay = np.exp(-np.maximum(x, -30.0))
    below = np.exp(-decay)
    return below, decay * below


def _axis(spread: float) -> Array:
    low, high = -_REACH * spread - _BELOW, _REACH * spread + _ABOVE
    return np.linspace(low, high, 2 + int((high - low) / _SPACING))


def _normal(sharpness: float) -> tuple[Array, Array]:
    """Nodes and weights for a standard normal in a function that varies on 1/sharpness."""
    count = 2 + int(2 * _REACH * max(1.0, sharpness) / _SPACING)
    points = np.linspace(-_REACH, _REACH, count)
    weight = np.exp(-0.5 * points**2)
    return points, weight / weight.sum()
