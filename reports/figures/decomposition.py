"""What each part of the learned spectrum costs, stacked against alpha."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.sheet import BLUE, GREEN, INK, MUTED, ORANGE, SURFACE, sheet
from attlas.reports.figures.ticks import plain_log_ticks
from attlas.verify.spectra.along import PartsRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from attlas.solver.decomposition import Decomposition

_PARTS = (
    ("approx", "approximation", GREEN),
    ("under", "underfitting", BLUE),
    ("over", "overfitting", ORANGE),
)


def decomposition_figure(rows: Sequence[PartsRow], title: str) -> Figure:
    """Draw the parts of the squared error, and the test error that they explain.

    Parameters
    ----------
    rows : sequence of PartsRow
        In increasing alpha.
    title : str
    """
    alphas = np.array([float(Fraction(row.alpha)) for row in rows])
    with sheet(8.6, 3.6, widths=(1.0, 1.0)) as (figure, (parts, tests)):
        _stacked(parts, alphas, rows)
        _test_error(tests, alphas, rows)
        for axes in (parts, tests):
            axes.set_xscale("log")
            plain_log_ticks(axes.xaxis, list(alphas))
            axes.set_xlabel("α = n/d²")
            axes.set_ylim(bottom=0)
            axes.legend(loc="upper right", fontsize=8)
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def parts_figure(found: Decomposition) -> Figure:
    """The parts of one squared error, and what they make of the test error."""
    with sheet(8.6, 2.8, widths=(1.0, 1.0)) as (figure, (parts, tests)):
        own = [(name, getattr(found, key), getattr(found.error, key), c) for key, name, c in _PARTS]
        explained = (
            ("label noise (e₀)", found.e0, found.error.e0, MUTED),
            ("three parts (c₁)", found.c1 * found.error_scaled, 0.0, BLUE),
            ("mismatch (c₂)", found.c2 * found.mismatch, 0.0, GREEN),
            ("test error", found.test_error, found.error.test_error, INK),
        )
        for axes, bars, label in (
            (parts, own, "parts of ‖S − η*S₀‖²/d"),
            (tests, explained, "test error, and what explains it"),
        ):
            names, values, errors, colours = zip(*bars, strict=True)
            axes.barh(names, values, xerr=errors, color=colours, height=0.6)
            axes.invert_yaxis()
            axes.set_xlabel(label)
    return figure


def _stacked(axes: Any, alphas: np.ndarray, rows: Sequence[PartsRow]) -> None:
    below = np.zeros(len(rows))
    measured = [index for index, row in enumerate(rows) if row.measured]
    seen = np.zeros(len(measured))
    for number, (key, name, colour) in enumerate(_PARTS):
        above = below + [getattr(row.decomposition, key) for row in rows]
        axes.fill_between(alphas, below, above, color=colour, alpha=0.35, linewidth=0, label=name)
        axes.plot(alphas, above, color=colour, linewidth=1.2)
        below = above
        seen = seen + [rows[index].measured[key].value for index in measured]
        if measured:
            errors = [rows[index].measured[key].error for index in measured]
            axes.errorbar(
                alphas[measured],
                seen,
                errors,
                fmt="o",
                color=colour,
                markerfacecolor=SURFACE,
                markersize=4.5,
                elinewidth=0.9,
                label="trained heads, stacked too" if number == len(_PARTS) - 1 else None,
            )
    axes.set_ylabel("parts of ‖S − η*S₀‖²/d")


def _test_error(axes: Any, alphas: np.ndarray, rows: Sequence[PartsRow]) -> None:
    found = [row.decomposition for row in rows]
    floor = np.array([one.e0 for one in found])
    explained = floor + [one.c1 * one.error_scaled for one in found]
    axes.plot(alphas, floor, color=MUTED, linewidth=1.2, label="at the best multiple of S₀")
    axes.plot(alphas, explained, "--", color=BLUE, label="and c₁ times the three parts")
    matched = explained + [one.c2 * one.mismatch for one in found]
    axes.plot(alphas, matched, "-.", color=GREEN, label="and c₂ times the mismatch")
    axes.plot(alphas, [one.test_error for one in found], color=INK, label="test error")
    axes.set_ylabel("test error")
