"""Modes picked up one after another: overlap curves, and the learning curve as their sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.sheet import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    OLIVE,
    ORANGE,
    PURPLE,
    SURFACE,
    VIOLET,
    sheet,
)
from attlas.solver.emergence import Curve
from attlas.solver.scaling import dense_limit
from attlas.verify.simulation.emergence import TrainedModes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, OLIVE, VIOLET)
#: Modes that are named at their curves: beyond the fourth they are too close for every number.
_NAMED = (1, 2, 3, 4, 6, 9, 14, 20)


def emergence_figure(curve: Curve, trained: Sequence[TrainedModes] = ()) -> Figure:
    """Draw a curve, and trained heads beside it.

    Parameters
    ----------
    curve : Curve
    trained : sequence of TrainedModes
        May be empty.
    """
    n = np.array([point.n for point in curve.points])
    captured = np.array([point.captured for point in curve.points])
    error = np.array([point.error for point in curve.points])
    count = len(curve.modes)
    with sheet(13.2, 4.2, widths=(1.0, 1.0, 1.0)) as (figure, (left, middle, right)):
        for index, mode in enumerate(curve.modes):
            colour = _COLOURS[index % len(_COLOURS)]
            left.plot(n, captured[:, index], color=colour)
            right.plot(n, error[:, index], color=colour, linewidth=1.1)
            if mode.half is not None:
                left.plot([mode.half.value], [0.5], "D", color=colour, markersize=5)
            if n[0] < mode.predicted_half < n[-1]:
                left.plot([mode.predicted_half], [0.02], "^", color=colour, markersize=6)
            if mode.mode in _NAMED and mode.half is not None:
                _label(left, mode.half.value * 1.12, 0.5, str(mode.mode), colour)
                at = int(np.argmax(error[:, index] > 0))
                _label(right, n[at], error[at, index], str(mode.mode), colour)
            _points(left, trained, "captured", index, colour)
        _staircase(middle, curve, trained, n, captured[:, :count].sum(axis=1))
        right.plot(n, error.sum(axis=1), color=INK, linewidth=2.2, label="sum of all modes")
        right.plot(
            n, error[:, count:].sum(axis=1), color=MUTED, ls="--", label=f"modes from {count + 1}"
        )
        if trained:
            totals = [TrainedModes(t.n, t.lam, t.captured, _total(t.error)) for t in trained]
            _points(right, totals, "error", 0, INK, "trained heads")
        left.axhline(0.5, color=MUTED, linewidth=0.8, ls=":")
        left.set(ylim=(0, 1.02))
        left.set_title("captured share of mode i,  vᵢᵀ P vᵢ", fontsize=9.5, loc="left")
        right.set(yscale="log")
        right.set_title("‖S − S₀‖²/d, and each mode's part", fontsize=9.5, loc="left")
        # What lies far below the whole only makes the steps small.
        right.set_ylim(error.sum(axis=1).min() / 30, 2 * error.sum(axis=1).max())
        for axes in (left, middle, right):
            axes.set(xscale="log", xlim=(n[0], n[-1]), xlabel="n  (samples)")
        right.legend(fontsize=8, loc="lower left")
        penalty = "λ = λ_c(n)" if curve.lam is None else f"λ = {curve.lam:g}"
        heads = "; points: trained heads" if trained else ""
        figure.suptitle(
            f"{curve.target.grammar()}, Δ = {curve.noise:g}, {penalty}, T = {curve.tokens}. "
            f"◆ half captured, ▲ its leading order{heads}",
            x=0.01,
            ha="left",
            fontsize=10,
        )
    return figure


def _staircase(
    axes: Any, curve: Curve, trained: Sequence[TrainedModes], n: np.ndarray, captured: np.ndarray
) -> None:
    """How many of the modes are captured: steps where they are few, a power law in the mean."""
    count = len(curve.modes)
    axes.plot(n, captured, color=INK, linewidth=2.2, label="sum of captured shares")
    if curve.noise > 0 and curve.lam is None:
        gamma = float(curve.target.gamma)
        noise = dense_limit(curve.target, curve.noise, curve.tokens).noise
        strong = (4 * n / (noise * curve.target.d)) ** (0.5 / gamma)
        # sum over i < K of 1 - (i/K)^(2 gamma), by the trapezoidal rule
        power = 2 * gamma / (2 * gamma + 1) * strong - 0.5
        label = "2γ/(2γ + 1) (4n/(Δd))^(1/(2γ)) − ½"
        axes.plot(n, power, color=MUTED, ls="--", label=label)
    counted = [
        TrainedModes(t.n, t.lam, t.captured[:, :count].sum(axis=1, keepdims=True), t.error)
        for t in trained
    ]
    _points(axes, counted, "captured", 0, INK, "trained heads")
    axes.set_ylim(0, count + 0.3)
    axes.set_title(f"directions captured, of the first {count}", fontsize=9.5, loc="left")
    axes.legend(fontsize=8, loc="upper left")


def _total(error: np.ndarray) -> np.ndarray:
    return error.sum(axis=1, keepdims=True)


def _points(
    axes: Any,
    trained: Sequence[TrainedModes],
    key: str,
    index: int,
    colour: str,
    label: str | None = None,
) -> None:
    if not trained:
        return
    means = [heads.mean(key) for heads in trained]
    axes.errorbar(
        [heads.n for heads in trained],
        [value[index] for value, _ in means],
        [0.0 if np.isnan(bar[index]) else bar[index] for _, bar in means],
        fmt="o",
        color=colour,
        markerfacecolor=SURFACE,
        markersize=4.5,
        elinewidth=0.9,
        label=label,
    )


def _label(axes: Any, x: float, y: float, text: str, colour: str) -> None:
    axes.annotate(text, (x, y), color=colour, fontsize=9, xytext=(2, 3), textcoords="offset points")
