"""Error bars of observables that are smooth functions of a few unknowns."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attlas.solver.solution import Observables

Array = NDArray[np.float64]

#: Step of the differences: a multiple of the error, so that it stays this side of an edge that the
#: solution itself is away from.
_WIDEST, _NARROWEST, _MULTIPLE = 1e-4, 1e-9, 1e3


def proportional(here: Observables, relative: float) -> Observables:
    """Absolute errors at one relative error; an infinite value is exact."""
    return Observables(
        **{
            key: relative * abs(value) if math.isfinite(value) else 0.0
            for key, value in here.present().items()
        }
    )


def propagated(
    observe: Callable[[Array], Observables], x: Array, x_error: Array, own: Observables
) -> Observables:
    """Absolute error bars: first order in the unknowns, plus the evaluation's own.

    Parameters
    ----------
    observe : callable
        Observables as a function of the unknowns.
    x, x_error : array
        The unknowns and their error bars.
    own : Observables
        Absolute errors of the evaluation itself, one per key.
    """
    here = observe(x)
    # An infinite value (the replicon of a denoiser that jumps) is exact.
    finite = {key: value for key, value in here.present().items() if math.isfinite(value)}
    bars = own.present()
    for index in range(x.size):
        if x_error[index] == 0:
            continue
        width = min(_WIDEST, max(_NARROWEST, _MULTIPLE * float(x_error[index])))
        step = np.zeros(x.size)
        step[index] = width
        above, below = observe(x + step), observe(x - step)
        for key, value in finite.items():
            moved = max(abs(getattr(above, key) - value), abs(getattr(below, key) - value))
            bars[key] += moved / width * float(x_error[index])
    return Observables(**bars)
