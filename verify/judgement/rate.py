"""How fast deviations fall with d, where they vanish in the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Exponents that are tried.
_GRID = np.linspace(0.1, 3.0, 581)
#: Deviations must be seen this many standard errors from zero, at the size where they are clearest.
_SEEN = 3.0
#: Rise of chi-square at the ends of a 90 % interval of one parameter.
_RISE = 2.71


@dataclass(frozen=True)
class Rate:
    """Deviations fall as d to the power -exponent; low and high are its 90 % interval.

    All three are NaN where the deviations are too small to tell; an end at the edge of the
    exponents that were tried (0.1 and 3) says that there is no end.
    """

    exponent: float = math.nan
    low: float = math.nan
    high: float = math.nan


def rate(d: Sequence[int], deviations: Sequence[float]) -> Rate:
    """Fit a d^-r to deviations whose limit is zero, by least squares on the means at each size.

    Parameters
    ----------
    d : sequence of int
        Dimension of each run.
    deviations : sequence of float
    """
    sizes = np.unique(d)
    groups = [np.asarray(deviations, dtype=float)[np.asarray(d) == size] for size in sizes]
    if len(sizes) < 3 or min(len(group) for group in groups) < 3:
        return Rate()
    means = np.array([group.mean() for group in groups])
    errors = np.array([group.std(ddof=1) / math.sqrt(len(group)) for group in groups])
    if not errors.all() or np.max(np.abs(means) / errors) < _SEEN:
        return Rate()
    shapes = (sizes / sizes[0]) ** -_GRID[:, None] / errors
    scaled = means / errors
    weights = shapes @ scaled / np.einsum("gs,gs->g", shapes, shapes)
    chi = np.square(scaled - weights[:, None] * shapes).sum(axis=1)
    inside = _GRID[chi <= chi.min() + _RISE]
    return Rate(float(_GRID[chi.argmin()]), float(inside[0]), float(inside[-1]))
