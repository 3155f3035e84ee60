"""Tokens as they are: the covariance that was measured, and how far from Gaussian they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attlas.reports.figures.sheet import BLUE, INK, MUTED, sheet
from attlas.solver.tokens import MeasuredTokens

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tokens_figure(found: MeasuredTokens) -> Figure:
    """Draw measured tokens.

    Parameters
    ----------
    found : MeasuredTokens
    """
    statistics, error = found.statistics, found.error
    with sheet(9.4, 3.6, widths=(1.5, 1.0)) as (figure, (left, right)):
        order = np.arange(1, found.d + 1)
        values, bars = statistics.eigenvalues[::-1], error.eigenvalues[::-1]
        left.fill_between(order, values - 2 * bars, values + 2 * bars, color=BLUE, alpha=0.25, lw=0)
        left.plot(order, values, color=INK, marker=".", markersize=3)
        left.axhline(1.0, color=MUTED, linewidth=0.8, ls=":")
        left.set(xlabel="rank", ylabel="eigenvalue of the covariance")
        left.set_yscale("log")
        left.set_title("band: two standard errors; dotted: isotropic", fontsize=9, loc="left")
        names = ("norm_kurtosis", "axis_kurtosis", "largest_axis_kurtosis", "projection_distance")
        labels = ("k of the length", "k along axes", "largest k of an axis", "100 x distance")
        scales = (1, 1, 1, 100)
        heights = [scale * getattr(statistics, n) for n, scale in zip(names, scales, strict=True)]
        spread = [2 * scale * getattr(error, n) for n, scale in zip(names, scales, strict=True)]
        right.barh(labels, heights, xerr=spread, color=BLUE, ecolor=INK, height=0.5)
        right.axvline(0.0, color=INK, linewidth=0.8)
        right.axvline(100 * found.gaussian_distance, color=MUTED, linewidth=0.8, ls=":")
        right.set_xscale("symlog")
        right.invert_yaxis()
        right.set_title("dotted: distance of Gaussian tokens", fontsize=9, loc="left")
        figure.suptitle(f"{found.n} tokens, d = {found.d}", x=0.01, ha="left", fontsize=10)
    return figure
