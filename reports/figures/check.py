"""The picture of a check: what ``check.plot()`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attlas.reports.figures.sheet import BLUE, INK, MUTED, ORANGE, sheet
from attlas.verify.suite.check import Check

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_figure(found: Check) -> Figure:
    """Runs' deviations over 1/d, the line through them and the margin; see `Check.plot`."""
    points = {point.point.key: point for point in found.result.claims[0].points}
    shown = found.verdicts
    with sheet(3.6 * len(shown), 3.0, widths=(1.0,) * len(shown)) as (figure, axes):
        for one, panel in zip(shown, axes, strict=True):
            runs = [row for row in points[one.point].rows if one.quantity in row.theory]
            x = np.array([1 / row.case.d for row in runs])
            y = np.array([row.measured[one.quantity] / row.theory[one.quantity] for row in runs])
            panel.plot(x, 100 * (y - 1), ".", color=MUTED, alpha=0.6, markersize=4)
            if one.coefficients and len(x):
                grid = np.linspace(0, x.max(), 50)
                fit = np.polynomial.polynomial.polyval(grid, one.coefficients)
                panel.plot(grid, 100 * fit, color=BLUE)
                panel.plot([0, 0], [100 * end for end in one.interval], color=BLUE, linewidth=3)
            for edge in (one.low, one.high):
                panel.axhline(100 * edge, color=ORANGE, linestyle="--", linewidth=1)
            panel.axhline(0, color=INK, linewidth=0.6)
            panel.set_title(f"{one.point}: {one.quantity} {one.state.value}", fontsize="medium")
            panel.set_xlabel("1/d")
            panel.set_ylabel("deviation, %")
    return figure
