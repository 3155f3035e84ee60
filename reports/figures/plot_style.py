"""How every figure looks, whatever its colours."""

from __future__ import annotations

from typing import Any


def plot_style(ink: str, muted: str, grid: str) -> dict[Any, Any]:
    """matplotlib's settings: thin frames on two sides, a light grid, text that stays text.

    Parameters
    ----------
    ink, muted, grid : str
        Colours of text, of axes, and of grid lines.
    """
    return {
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": ink,
        "axes.labelcolor": ink,
        "axes.edgecolor": muted,
        "axes.linewidth": 0.8,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": grid,
        "grid.linewidth": 0.7,
        "xtick.color": muted,
        "ytick.color": muted,
        "xtick.labelcolor": ink,
        "ytick.labelcolor": ink,
    }
