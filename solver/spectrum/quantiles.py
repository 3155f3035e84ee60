"""Distribution function and quantiles of a noisy law, from its truncated masses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from attlas.model.errors import BadInput
from attlas.solver.spectrum.bracketed_newton import bracketed_newton
from attlas.solver.spectrum.law import FloatArray, NoisyLaw


def cumulative(law: NoisyLaw, x: ArrayLike) -> FloatArray:
    """F(x), the mass below x, any shape."""
    return _map(lambda point: 1 - law.truncated(point).mass, x)


def quantiles(law: NoisyLaw, u: ArrayLike) -> FloatArray:
    """Smallest x with F(x) >= u, any shape.

    Raises
    ------
    BadInput
        If some u is not strictly between 0 and 1.
    """
    bands = law.bands()
    ends = np.cumsum([band.mass for band in bands])

    def quantile(level: float) -> float:
        if not 0 < level < 1:
            raise BadInput("u", level, "must lie strictly between 0 and 1")
        band = bands[min(int(np.searchsorted(ends, level)), len(bands) - 1)]

        def excess(x: float) -> tuple[float, float]:
            if x <= band.lower:
                return -1.0, 0.0
            if x >= band.upper:
                return 1.0, 0.0
            return 1 - law.truncated(x).mass - level, float(law.density(x))

        return bracketed_newton(excess, band.lower, band.upper, (band.lower + band.upper) / 2)

    return _map(quantile, u)


def _map(function: Callable[[float], float], x: ArrayLike) -> FloatArray:
    points = np.asarray(x, dtype=float)
    return np.array([function(float(point)) for point in points.ravel()]).reshape(points.shape)
