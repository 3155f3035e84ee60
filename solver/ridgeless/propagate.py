"""Error bars of observables that are smooth functions of a few unknowns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solver.solution import OBSERVABLE_KEYS, Observables

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
    bars = {key: relative * abs(value) for key, value in here.present().items()}
    for index in range(x.size):
        if x_error[index] == 0:
            continue
        step = np.zeros(x.size)
        step[index] = _WIDTH
        above, below = observe(x + step), observe(x - step)
        for key in OBSERVABLE_KEYS:
            value = getattr(here, key)
            if value is None:
                continue
            moved = max(abs(getattr(above, key) - value), abs(getattr(below, key) - value))
            bars[key] += moved / _WIDTH * float(x_error[index])
    return Observables(**bars)
