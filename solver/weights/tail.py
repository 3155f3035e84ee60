"""The tail exponent of few large values, with its cut and count in the open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from attlas.model.result_key import Definition, Key

#: With fewer values a slope says nothing.
FEWEST = 8


@dataclass(frozen=True)
class Tail:
    """A power law fitted to the largest values.

    Attributes
    ----------
    exponent : float
        a in a density proportional to x^-a. Values x_i = c i^-gamma have a = 1 + 1/gamma.
    error : float
        Standard error of the fit; residuals of a ranking are correlated, so it is widened by
        the square root of half their number.
    cut : float
        Values at most this are left out.
    count : int
        Values that are fitted.
    """

    exponent: Annotated[
        float,
        Key(
            "exponent of the density of the outliers; values c i^-gamma have 1 + 1/gamma",
            "greater than 1",
            "docs/real-weights.md",
            Definition("a in ρ(x) ∝ x^−a", r"\rho(x)\propto x^{-a}"),
        ),
    ]
    error: Annotated[float, Key()]
    cut: Annotated[
        float,
        Key(
            "values at most this are left out of the fit", "greater than 0", "docs/real-weights.md"
        ),
    ]
    count: Annotated[int, Key("values that are fitted", "8 or more", "docs/real-weights.md")]


def tail_of(values: Sequence[float] | np.ndarray, cut: float) -> Tail | None:
    """Fit log(value) against log(rank) of all values beyond a cut.

    Parameters
    ----------
    values : sequence of float
    cut : float
        Where the bulk ends, from another source than the values themselves.

    Returns
    -------
    Tail or None
        None with fewer than 8 values beyond the cut, or where they do not fall off.
    """
    large = np.sort(np.asarray(values, dtype=float))[::-1]
    large = large[large > cut]
    if large.size < FEWEST:
        return None
    x, y = np.log(np.arange(1, large.size + 1)), np.log(large)
    centred = x - x.mean()
    slope = -float(centred @ y) / float(centred @ centred)
    if slope <= 0:
        return None
    residual = y - y.mean() + slope * centred
    variance = float(residual @ residual) / (large.size - 2) / float(centred @ centred)
    error = math.sqrt(variance * large.size / 2) / slope**2
    return Tail(1 + 1 / slope, error, float(cut), int(large.size))
