"""The mean squared distance of two rows of two-token attention, at any sharpness; its slopes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.proximal import logistic

Array = NDArray[np.floating]

#: Step of the trapezoidal rule in t, where x = centre + sinh(t)/scale. Its error is below 1e-15
#: for a normal weight up to the reach away from the centre, and for a logistic at the centre.
_STEP = 0.06
#: Normal variables beyond this have no weight in double precision.
_REACH = 9.0
#: The same for derivatives, which are wanted often: they are right to 1e-11.
_SLOPE_STEP, _SLOPE_REACH = 0.1, 7.5


@dataclass(frozen=True)
class SquaredDistance:
    """Four times the mean of (s(beta0 u0) - s(beta u))^2: two rows of two entries each.

    u0 and u are jointly normal with covariance ``diagonal`` times [[signal, m], [m, q]], and s is
    the logistic function.

    Parameters
    ----------
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

    signal: float
    diagonal: float
    beta: float
    beta0: float

    def value(self, q: float, m: float) -> float:
        """At overlaps q and m of the student's scores."""
        u0, weight0, u, weight = self._scores(q, m, _STEP, _REACH)
        miss = logistic(self.beta0 * u0)[:, None] - logistic(self.beta * u)
        return float(4 * weight0 @ np.sum(weight * miss**2, axis=1))

    def slopes(self, q: float, m: float) -> tuple[float, float]:
        """The derivatives in q and in m, to 1e-11.

        Notes
        -----
        theory.md section 20: by Gaussian integration by parts, with c = ``diagonal``,
        e_q = 4 c beta^2 E[s'^2 - (s0 - s) s''] and e_m = -8 c beta beta0 E[s0' s'], s0 =
        s(beta0 u0) and s = s(beta u).
        """
        u0, weight0, u, weight = self._scores(q, m, _SLOPE_STEP, _SLOPE_REACH)
        label, guess = logistic(self.beta0 * u0), logistic(self.beta * u)
        first = guess * (1 - guess)
        once = np.einsum("ij,ij->i", weight, first)
        weighted = weight * first
        curved = 1 - 2 * guess
        square = np.einsum("ij,ij->i", weighted, first)
        second = np.einsum("ij,ij->i", weighted, curved)
        own = np.einsum("ij,ij,ij->i", weighted, guess, curved)
        in_q = weight0 @ (square - label * second + own)
        in_m = weight0 @ (label * (1 - label) * once)
        scale = 4 * self.diagonal * self.beta
        return float(scale * self.beta * in_q), float(-2 * scale * self.beta0 * in_m)

    def _scores(
        self, q: float, m: float, step: float, reach: float
    ) -> tuple[Array, Array, Array, Array]:
        """Nodes of u0 >= 0 (k,) and of u (k, nodes), with weights; u0 < 0 is the mirror image."""
        slope = m / self.signal
        spread = (self.diagonal * self.signal) ** 0.5
        rest = (self.diagonal * max(q - m * slope, 0.0)) ** 0.5
        # Outside: the labels' score, graded towards the common step at 0.
        sharpest = max(1.0, spread * max(self.beta0, self.beta * abs(slope)))
        x0, weight0 = (part[0] for part in _graded(np.zeros(1), sharpest, step, reach))
        half = x0.size // 2
        u0, weight0 = spread * x0[half:], weight0[half:]
        weight0[0] /= 2
        # Inside: what the student's score has besides, graded towards where it crosses 0.
        if rest > 0:
            centre = np.clip(-slope * u0 / rest, -reach, reach)
            x, weight = _graded(centre, max(1.0, self.beta * rest), step, reach)
        else:
            x, weight = np.zeros((u0.size, 1)), np.ones((u0.size, 1))
        u = slope * u0[:, None] + rest * x
        return u0, weight0 / weight0.sum(), u, weight / np.sum(weight, axis=1, keepdims=True)


def _graded(centre: Array, scale: float, step: float, reach: float) -> tuple[Array, Array]:
    """Nodes around each centre (k,) and their normal weights, both of shape (k, nodes)."""
    half = int(np.ceil(np.arcsinh(2 * reach * scale) / step))
    t = np.arange(-half, half + 1) * step
    x = centre[:, None] + np.sinh(t) / scale
    return x, np.exp(-0.5 * x**2) * np.cosh(t)
