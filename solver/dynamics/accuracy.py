"""Error bars of a flow, from flows that differ in tolerance, in nodes and in random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Array = NDArray[np.floating]
#: Arrays by result key, of one flow.
Track = dict[str, Array]

#: What a difference of two flows is multiplied with, and the errors of steps that may add up where
#: the two agree by chance.
_DOUBT, _STEPS = 2.0, 3.0
#: Confidence of an error bar that is a spread over few sets of random nodes.
_CONFIDENCE = 0.99
#: Accuracy of a loss and of slopes without samples, which no comparison of tolerances sees:
#: relative, and absolute where terms of order one cancel.
_SLOPES, _ROUNDING = 1e-10, 1e-13


def combined(tracks: Sequence[Track], rougher: Track, tolerance: float) -> tuple[Track, Track]:
    """Values and absolute error bars.

    Parameters
    ----------
    tracks : sequence of Track
        The flow for each form of the loss; their mean is the value.
    rougher : Track
        The flow of the first form at a tolerance 10 times larger and, where the target's law is
        integrated, on half the nodes. As a rule it is off by more than the first track is.
    tolerance : float
        Of a step of the tracks.
    """
    values = {key: np.mean([track[key] for track in tracks], axis=0) for key in tracks[0]}
    bars = {
        key: _DOUBT * np.abs(rougher[key] - tracks[0][key])
        + _spread([track[key] for track in tracks])
        + (_STEPS * tolerance + _SLOPES) * np.abs(values[key])
        + _ROUNDING
        for key in values
    }
    return values, bars


def _spread(samples: Sequence[Array]) -> Array:
    """Half-width of the confidence interval of a mean; 0 for a single value, which is exact."""
    count = len(samples)
    if count == 1:
        return np.zeros_like(samples[0])
    width = student.ppf((1 + _CONFIDENCE) / 2, count - 1) / count**0.5
    return width * np.std(samples, axis=0, ddof=1)
