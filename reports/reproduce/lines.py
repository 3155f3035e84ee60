"""Curves of theory as lines, trained heads as marks of the same colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attlas.reports.figures.sheet import INK, SURFACE
from attlas.reports.reproduce.rows import Row

#: Marks that are told apart without colour.
MARKS = ("o", "s", "D", "^")


def line(
    axes: Any,
    rows: Sequence[Row],
    curve: str,
    key: str,
    *,
    label: str | None = None,
    x: str = "alpha",
    **style: Any,
) -> None:
    """The theory of one curve, in increasing x."""
    kept = sorted(
        (row for row in rows if row["source"] == "theory" and row["curve"] == curve),
        key=lambda row: row[x],
    )
    axes.plot(
        [row[x] for row in kept],
        [row[key] for row in kept],
        **{"linewidth": 1.6, "label": label, **style},
    )


def marks(
    axes: Any,
    rows: Sequence[Row],
    curve: str,
    key: str,
    colour: str,
    marker: str = "o",
    *,
    x: str = "alpha",
    size: float = 5.0,
) -> None:
    """Trained heads of one curve: mean and standard error over runs."""
    kept = [row for row in rows if row["source"] == "heads" and row["curve"] == curve]
    if not kept:
        return
    axes.errorbar(
        [row[x] for row in kept],
        [row[key] for row in kept],
        [row["error"].get(key, 0.0) for row in kept],
        fmt=marker,
        color=colour,
        markerfacecolor=SURFACE,
        markersize=size,
        elinewidth=1,
        capsize=2,
        zorder=3,
    )


def logarithmic(axis: Any, ticks: Sequence[float]) -> None:
    """A logarithmic axis with these ticks, written as plain numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))


def explain_marks(axes: Any, text: str, marker: str = "o") -> None:
    """An entry of the legend for what marks are."""
    axes.plot([], [], marker, color=INK, markerfacecolor=SURFACE, markersize=5, label=text)
