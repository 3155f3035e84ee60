"""The picture of a best penalty: what ``found.plot()`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attlas.reports.figures.sheet import MUTED, ORANGE
from attlas.reports.plot import learning_curve
from attlas.solver.best_lambda import BestLambdaResult, penalty_scale
from attlas.solver.sweep import sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Penalties of the curve, and how far they reach on either side of the best, as a factor.
_POINTS, _REACH = 13, 30.0
#: Relative accuracy of the curve, which a line shows.
_RTOL = 1e-4


def best_lambda_figure(found: BestLambdaResult) -> Figure:
    """Test error against the penalty, about the best one, which is solved for here."""
    best = found.values.lam
    middle = best or penalty_scale(found.problem) / _REACH
    grid = middle * np.geomspace(1 / _REACH, _REACH, _POINTS)
    table = sweep(found.problem, lam=grid.tolist(), workers=1, rtol=_RTOL)
    axes = learning_curve(table, x="lam")
    if best:
        axes.axvline(best, color=ORANGE, linewidth=1, label="best λ")
    axes.axhline(found.solution.test_error, color=MUTED, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.legend(fontsize=9)
    return axes.get_figure(root=True)  # type: ignore[return-value]
