"""Rank, recovered directions and error along alpha or lambda."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.sheet import BLUE, GREEN, MUTED, ORANGE, SURFACE, sheet
from attlas.reports.figures.ticks import plain_log_ticks
from attlas.verify.spectra.along import SpectrumRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LABELS = {"alpha": "α = n/d²", "lam": "λ"}


def recovery_figure(rows: Sequence[SpectrumRow], axis: str, title: str) -> Figure:
    """Draw rank and recovered directions, and the squared error, against one parameter.

    Parameters
    ----------
    rows : sequence of SpectrumRow
    axis : {"alpha", "lam"}
    title : str
    """
    x = np.array([float(Fraction(getattr(row, axis))) for row in rows])
    with sheet(8.6, 3.5, widths=(1.0, 1.0)) as (figure, (left, right)):
        _line(left, x, rows, "rank_fraction", BLUE, "rank of S over d")
        _line(left, x, rows, "recovered", ORANGE, "recovered share of the target")
        _line(right, x, rows, "mse", GREEN, "squared error ‖S − S₀‖²/d")
        if axis == "lam":
            for axes in (left, right):
                axes.axvline(
                    rows[0].collapse_lam, color=MUTED, linestyle=":", label="collapse: S = 0 beyond"
                )
        for axes in (left, right):
            axes.set_xscale("log")
            plain_log_ticks(axes.xaxis, list(x))
            axes.set_xlabel(_LABELS[axis])
            axes.set_ylim(bottom=0)
            axes.legend(fontsize=8)
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _line(
    axes: Any, x: np.ndarray, rows: Sequence[SpectrumRow], key: str, colour: str, label: str
) -> None:
    axes.plot(x, [getattr(row, key) for row in rows], color=colour, label=label)
    measured = [index for index, row in enumerate(rows) if row.measured]
    if measured:
        found = [rows[index].measured[key] for index in measured]
        axes.errorbar(
            x[measured],
            [one.value for one in found],
            [one.error for one in found],
            fmt="o",
            color=colour,
            markerfacecolor=SURFACE,
            markersize=4.5,
            elinewidth=0.9,
        )
