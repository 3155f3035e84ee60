"""The figure of the rivals: test error against alpha, factorised, direct and Bayes-optimal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attlas.reports.figures.ticks import plain_log_ticks
from attlas.reports.page.palette import LINES, MARKERS, MUTED, line, series
from attlas.reports.page.svg import inline, label_ends, panel
from attlas.verify.simulation.rivals import Race, Rivals

#: Trainings in words.
NAMES = {
    "factorised": "factorised",
    "direct-psd": "direct, PSD",
    "direct": "direct",
}
_FLOOR = "Bayes-optimal"
_FLOOR_LINE = LINES[-1]


@dataclass(frozen=True)
class StoredRun:
    """Runs of a suite at one alpha and penalty, extrapolated to infinite dimension.

    Attributes
    ----------
    training : str
    alpha : float
    lam : str
        Their penalty, which need not be the best one.
    theory : float
        Test error predicted at that penalty.
    measured, low, high : float
        Test error and its interval.
    """

    training: str
    alpha: float
    lam: str
    theory: float
    measured: float
    low: float
    high: float


def learning_curves(rivals: Rivals, name: str, runs: Sequence[StoredRun] = ()) -> str:
    """Test error against alpha at one teacher rank, as an inline ``<svg>``.

    Lines are theory at each training's own best penalty, marks are runs there, and the dashed
    line is the floor that no method passes.

    Parameters
    ----------
    rivals : Rivals
    name : str
        Unique on the page.
    runs : sequence of StoredRun
        Drawn besides, with their penalties.
    """
    with panel() as (figure, axes):
        draw(axes, rivals)
        for run in runs:
            _stored(axes, run, list(rivals.curves))
        figure.draw_without_rendering()
        label_ends(axes, _ends(rivals))
        return inline(
            figure,
            name,
            f"Test error against alpha for a teacher of rank ratio {rivals.kappa0:g}",
            _spoken(rivals, runs),
        )


def draw(axes, rivals: Rivals) -> None:
    """Draw the curves of one teacher rank into axes."""
    for index, (training, points) in enumerate(rivals.curves.items()):
        colour, alphas = series(index), [point.alpha for point in points]
        axes.plot(
            alphas,
            [point.theory for point in points],
            color=colour,
            linestyle=line(index),
            linewidth=1.8,
        )
        _mark(axes, points, colour, MARKERS[index], training)
    floor = next(iter(rivals.curves.values()))
    axes.plot(
        [point.alpha for point in floor],
        [point.floor for point in floor],
        color=MUTED,
        linewidth=1.5,
        linestyle=_FLOOR_LINE,
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    plain_log_ticks(axes.xaxis, [point.alpha for point in floor], (1, 2, 5))
    plain_log_ticks(axes.yaxis, _heights(rivals), (1, 1.5, 2, 3, 5))
    axes.set_xlabel("α = n/d²  (samples per squared dimension)")
    axes.set_ylabel("test error (noisy labels)")
    axes.set_title(f"κ₀ = {rivals.kappa0:g}, Δ = {rivals.noise:g}", fontsize=10, loc="left")


def _stored(axes, run: StoredRun, trainings: Sequence[str]) -> None:
    place = trainings.index(run.training)
    axes.plot(
        [run.alpha], [run.theory], "_", color=series(place), markersize=16, markeredgewidth=1.5
    )
    axes.errorbar(
        [run.alpha],
        [run.measured],
        [[run.measured - run.low], [run.high - run.measured]],
        fmt=MARKERS[place],
        color=series(place),
        markersize=5.5,
        elinewidth=1.2,
        capsize=2.5,
    )
    axes.annotate(
        f"λ = {run.lam}",
        (run.alpha, run.measured),
        xytext=(6, 5),
        textcoords="offset points",
        fontsize=8.5,
    )


def _mark(axes, points: Sequence[Race], colour: str, marker: str, training: str) -> None:
    seen = [point for point in points if point.measured is not None]
    if not seen:
        return
    axes.errorbar(
        [point.alpha for point in seen],
        [point.measured for point in seen],
        [point.spread or 0.0 for point in seen],
        fmt=marker,
        color=colour,
        markersize=5,
        elinewidth=1,
        capsize=2,
        label=training,
    )


def _ends(rivals: Rivals) -> list[tuple[float, str, str, Any]]:
    ends = [
        (points[-1].theory, NAMES.get(training, training), series(index), line(index))
        for index, (training, points) in enumerate(rivals.curves.items())
    ]
    floor = next(iter(rivals.curves.values()))[-1].floor
    return [*ends, (floor, _FLOOR, MUTED, _FLOOR_LINE)]


def _heights(rivals: Rivals) -> list[float]:
    values = [
        value
        for points in rivals.curves.values()
        for point in points
        for value in (point.theory, point.floor, point.measured)
        if value is not None
    ]
    return [min(values), max(values)]


def _spoken(rivals: Rivals, runs: Sequence[StoredRun]) -> str:
    """The figure's content in words."""
    winners = rivals.winners()
    points = next(iter(rivals.curves.values()))
    least = "; ".join(
        f"{NAMES.get(winner, winner)} at alpha {point.alpha:g}"
        for winner, point in zip(winners, points, strict=True)
    )
    seen = "; ".join(
        f"{NAMES.get(run.training, run.training)} at alpha {run.alpha:g} and lambda {run.lam}: "
        f"{run.measured:.3g}, predicted {run.theory:.3g}"
        for run in runs
    )
    return f"Least test error: {least}." + (f" Runs: {seen}." if seen else "")
