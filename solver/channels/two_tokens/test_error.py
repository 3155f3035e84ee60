"""The mean squared distance of two rows of two-token attention, at any sharpness."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.proximal import logistic

Array = NDArray[np.floating]

#: Step of the trapezoidal rule in t, where x = centre + sinh(t)/scale. Its error is below 1e-15
#: for a normal weight up to the reach away from the centre, and for a logistic at the centre.
_STEP = 0.06
#: Normal variables beyond this have no weight in double precision.
_REACH = 9.0


def squared_distance(
    q: float, m: float, signal: float, *, diagonal: float, beta: float, beta0: float
) -> float:
    """Four times the mean of (s(beta0 u0) - s(beta u))^2: two rows of two entries each.

    u0 and u are jointly normal with covariance ``diagonal`` times [[signal, m], [m, q]], and s is
    the logistic function.

    Parameters
    ----------
    q, m : float
        Overlaps of the student's scores.
    signal : float > 0
        Strength of the scores behind the labels.
    diagonal : float > 0
        Variance of a score difference over that of a score.
    beta, beta0 : float > 0

    Notes
    -----
    Nodes crowd around the steps of both logistics, at every distance from them, so that their
    number grows with the logarithm of the sharpness alone.
    """
    slope = m / signal
    spread = (diagonal * signal) ** 0.5
    rest = (diagonal * max(q - m * slope, 0.0)) ** 0.5
    # Outside: the labels' score, graded towards the common step at 0.
    x0, weight0 = _graded(np.zeros(1), max(1.0, spread * max(beta0, beta * abs(slope))))
    u0 = spread * x0[0]
    # Inside: what the student's score has besides, graded towards where it crosses 0.
    centre = np.clip(-slope * u0 / rest, -_REACH, _REACH) if rest > 0 else np.zeros_like(u0)
    x, weight = _graded(centre, max(1.0, beta * rest))
    miss = logistic(beta0 * u0)[:, None] - logistic(beta * (slope * u0[:, None] + rest * x))
    inner = np.sum(weight * miss**2, axis=1) / np.sum(weight, axis=1)
    return float(4 * np.sum(weight0[0] * inner) / np.sum(weight0))


def _graded(centre: Array, scale: float) -> tuple[Array, Array]:
    """Nodes around each centre (k,) and their normal weights, both of shape (k, nodes)."""
    half = int(np.ceil(np.arcsinh(2 * _REACH * scale) / _STEP))
    t = np.arange(-half, half + 1) * _STEP
    x = centre[:, None] + np.sinh(t) / scale
    return x, np.exp(-0.5 * x**2) * np.cosh(t)
