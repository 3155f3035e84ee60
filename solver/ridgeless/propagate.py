"""Error bars of observables that are smooth functions of a few unknowns."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solver.solution import Observables

Array = NDArray[np.float64]

_WIDTH = 1e-4


def propagated(
    observe: Callable[[Array], Observables], x: Array, x_error: Array, relative: float
) -> Observables:
    """Absolute error bars: first order in the unknowns, plus a relative error of each value.

    Parameters
    ----------
    observe : callable
        Observables as a function of the unknowns.
    x, x_error : array
        The unknowns and their error bars.
    relative : float
        Relative error of the evaluation itself.
    """
    here = observe(x)
    # An infinite value (the replicon of a denoiser that jumps) is exact.
    finite = {key: value for key, value in here.present().items() if math.isfinite(value)}
    bars = {key: relative * abs(finite.get(key, 0.0)) for key in here.present()}
    for index in range(x.size):
        if x_error[index] == 0:
            continue
        step = np.zeros(x.size)
        step[index] = _WIDTH
        above, below = observe(x + step), observe(x - step)
        for key, value in finite.items():
            moved = max(abs(getattr(above, key) - value), abs(getattr(below, key) - value))
            bars[key] += moved / _WIDTH * float(x_error[index])
    return Observables(**bars)
