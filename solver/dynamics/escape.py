"""When each mode of the target is learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from attlas.solver.dynamics.flow import Path
from attlas.solver.dynamics.segment import NODES, Segment

Array = NDArray[np.floating]

#: Halvings towards a root of a segment's polynomial, and Newton's steps on the flow from there.
_HALVINGS, _POLISHED = 20, 1


def escapes(path: Path) -> Array:
    """The first time at which each mode has half the value at which it would rest, or NaN.

    While q and m stand still, mode s rests at -(e_m s + c)/(2 e_q); at half of that its logistic
    growth turns. A mode that does not grow, that starts above
    that, or that is below at the end, has no time.

    Notes
    -----
    theory.md section 20.
    """
    modes = path.setting.modes
    everything = np.arange(modes.s.size)
    begins = [_height(path, one, 0.0, everything) for one in path.segments]
    heights = np.vstack((begins, _height(path, path.segments[-1], 1.0, everything)))
    found = np.full(modes.s.size, np.nan)
    waiting = heights[0] < 0
    for index, segment in enumerate(path.segments):
        rising = np.flatnonzero(waiting & (heights[index] < 0) & (heights[index + 1] >= 0))
        if rising.size:
            found[rising] = segment.begin + segment.length * _roots(path, segment, rising)
            waiting[rising] = False
    return found


def _height(path: Path, segment: Segment, share: float, which: NDArray[np.intp]) -> Array:
    """log of x over half its value at rest, for some modes; -inf where they do not grow."""
    s, decay = path.setting.modes.s[which], path.setting.decay
    chosen = replace(segment, log_x=segment.log_x[which])
    log_x = chosen.log_x if share == 0 else chosen.after(share, s, decay)
    in_q, in_m = segment.slopes_after(np.array([share]))[0]
    rest = -(in_m * s + decay) / (2 * in_q)
    with np.errstate(divide="ignore"):
        return np.where(rest > 0, log_x - np.log(np.maximum(rest, 0.0) / 2), -np.inf)


def _roots(path: Path, segment: Segment, which: NDArray[np.intp]) -> Array:
    """Shares of a segment after which some modes rise through 0."""
    values = np.array([_height(path, segment, share, which) for share in NODES])
    if not np.all(np.isfinite(values)):  # a mode that begins to grow on the way
        return np.full(which.size, 0.5)
    coefficients = chebyshev.chebfit(2 * NODES - 1, values, len(NODES) - 1)
    slopes = chebyshev.chebder(coefficients) * 2
    low, high = np.zeros(which.size), np.ones(which.size)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = chebyshev.chebval(2 * middle - 1, coefficients, tensor=False) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    roots = (low + high) / 2
    for _ in range(_POLISHED):
        slope = chebyshev.chebval(2 * roots - 1, slopes, tensor=False)
        off = [_height(path, segment, root, which[[i]])[0] for i, root in enumerate(roots)]
        roots = np.clip(roots - np.array(off) / slope, 0.0, 1.0)
    return roots
