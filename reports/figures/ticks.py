"""A few round numbers on a logarithmic axis, instead of powers of ten alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def plain_log_ticks(
    axis: Any, values: Sequence[float], digits: Sequence[float] = (1, 2, 3, 5)
) -> None:
    """Label a logarithmic axis with plain decimals near the values shown.

    Beyond two decades powers of ten read better, and the axis is left as it is.

    Parameters
    ----------
    axis : matplotlib Axis
    values : sequence of float > 0
    digits : sequence of float
        Leading digits that may be labelled.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    low, high = min(values), max(values)
    if high > 100 * low:
        return
    grid = [digit * 10.0**power for power in range(-12, 13) for digit in digits]
    axis.set_major_locator(FixedLocator([tick for tick in grid if low / 1.6 <= tick <= 1.6 * high]))
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())
