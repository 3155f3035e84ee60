"""A scalar root inside a bracket."""

from __future__ import annotations

from collections.abc import Callable


def bracketed_newton(
    function: Callable[[float], tuple[float, float]],
    low: float,
    high: float,
    start: float,
) -> float:
    """Root of a function with opposite signs at ``low`` and ``high``: Newton, else bisection.

    Parameters
    ----------
    function : callable
        Returns the value and the slope at a point; increasing or decreasing across the bracket.
    low, high : float
        ``low < high``; ``function(low)`` and ``function(high)`` have opposite signs.
    start : float
        Where to begin; replaced by the middle when it lies outside the bracket.

    Returns
    -------
    float
        The root to about one unit in the last place.
    """
    rising = function(high)[0] > 0
    x = start if low < start < high else (low + high) / 2
    for _ in range(300):
        f, slope = function(x)
        if f == 0.0:
            return x
        if (f > 0) == rising:
            high = x
        else:
            low = x
        new = x - f / slope if slope != 0.0 else low
        if abs(new - x) <= 2e-16 * abs(x):
            return min(max(new, low), high)
        if not low < new < high:
            new = (low + high) / 2
            if new in (low, high):
                return new
        x = new
    return x
