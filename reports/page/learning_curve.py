"""The figure of a quantity against alpha: theory as lines, extrapolated runs as marks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attlas.reports.figures.ticks import plain_log_ticks
from attlas.reports.naming import distinguished
from attlas.reports.page.extrapolation import unit_for
from attlas.reports.page.palette import BAND, MUTED, SURFACE, line, series
from attlas.reports.page.points import PointStyle, point_styles, spoken, verdicts_of
from attlas.reports.page.svg import inline, label_ends, spread, stacked
from attlas.verify.claims import Quantity
from attlas.verify.judgement import Outcome, State, Verdict
from attlas.verify.suite.result import ClaimResult, Curve, PointResult

#: A curve of one alpha is drawn as a level that reaches this factor to either side.
_LEVEL_REACH = 1.8
#: Distance of points of one alpha in the logarithm of alpha.
_DODGE = 0.15
#: Half the width of a band in the lower panel, as a factor of alpha.
_BAND = 1.07
#: Alphas along a curve, besides those solved.
_POINTS = 40
#: Least relative error of the theory that is wider than its line.
_SEEN = 2e-3
_ALPHA_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def learning_curve(result: ClaimResult, quantity: Quantity, name: str) -> str:
    """Theory (lines) and extrapolated runs (marks) of a quantity against alpha.

    Below, their deviation, which would not be seen at the scale of the curve.
    """
    styles = point_styles(result)
    points = {point.point.key: point for point in result.points}
    problems = [points[curve.points[0]].point.problem for curve in result.curves]
    labels = distinguished(problems)
    beside = _side_by_side(result)
    verdicts = [one for one in verdicts_of(result, quantity.key) if one.coefficients]
    with stacked((3, 2)) as (figure, (axes, residuals)):
        ends = []
        for index, curve in enumerate(result.curves):
            alphas, values, errors = smooth(*_along(curve, quantity.key))
            if not len(alphas):
                continue
            style = {"color": series(index), "linestyle": line(index)}
            axes.plot(alphas, values, linewidth=1.8, **style)
            if np.any(errors > _SEEN * np.abs(values)):
                axes.fill_between(
                    alphas, values - errors, values + errors, color=series(index), alpha=0.3
                )
            ends.append((float(values[-1]), labels[index], series(index), line(index)))
        for verdict in verdicts:
            alpha = beside[verdict.point]
            _mark(axes, points[verdict.point], alpha, verdict, styles[verdict.point])
        axes.set_xscale("log")
        if _spans_decades(result, quantity.key):
            axes.set_yscale("log")
            plain_log_ticks(axes.yaxis, _heights(result, quantity.key), (1, 2, 5))
        axes.minorticks_off()
        axes.set_ylabel(quantity.name)
        _alpha_ticks(residuals)
        residuals.set_xlabel("α = n/d²  (samples per squared dimension)")
        apart = _apart(points, verdicts)
        _residuals(residuals, verdicts, apart, styles)
        figure.draw_without_rendering()
        label_ends(axes, ends, gap=0.11)
        residuals.locator_params(axis="y", nbins=5)
        _name_points(residuals, verdicts, apart, styles)
        return inline(
            figure,
            name,
            f"{quantity.name} against alpha",
            f"Theory as lines for {'; '.join(labels)}. " + spoken(result, quantity),
        )


def _residuals(
    axes: Any,
    verdicts: Sequence[Verdict],
    beside: Mapping[str, float],
    styles: Mapping[str, PointStyle],
) -> None:
    """Deviations with their intervals, and behind each the band that was wanted."""
    sizes = [abs(v) for one in verdicts for v in (*one.interval, one.low, one.high)]
    unit = unit_for(max(filter(math.isfinite, sizes), default=1.0))
    for one in verdicts:
        alpha, style = beside[one.point], styles[one.point]
        axes.fill_between(
            [alpha / _BAND, alpha * _BAND],
            unit.factor * one.low,
            unit.factor * one.high,
            color=BAND,
            linewidth=0,
        )
        low, high = (abs(end - one.deviation) for end in one.interval)
        _whisker(axes, alpha, unit.factor * np.array([one.deviation, low, high]), one, style)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set_ylabel(f"deviation, {unit.name}")


def _name_points(
    axes: Any,
    verdicts: Sequence[Verdict],
    beside: Mapping[str, float],
    styles: Mapping[str, PointStyle],
) -> None:
    """Letters of the points along the upper edge, above their marks or as near as they fit."""
    across = axes.transData + axes.transAxes.inverted()
    placed = sorted(
        (float(across.transform((beside[one.point], 0.0))[0]), styles[one.point].letter)
        for one in verdicts
    )
    for x, (_, letter) in zip(spread([x for x, _ in placed], 0.04), placed, strict=True):
        axes.text(
            x, 1.02, letter, transform=axes.transAxes, ha="center", fontsize=8.5, fontweight="bold"
        )


def smooth(
    alphas: np.ndarray, values: np.ndarray, errors: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The curve between the alphas that were solved: a cubic that is monotone where they are.

    A single one is drawn as a level, for there is nothing to connect.
    """
    if len(alphas) == 1:
        reach = np.array([1 / _LEVEL_REACH, _LEVEL_REACH])
        return alphas * reach, np.repeat(values, 2), np.repeat(errors, 2)
    if len(alphas) < 3:
        return alphas, values, errors
    from scipy.interpolate import PchipInterpolator

    at = np.log(alphas)
    grid = np.union1d(at, np.linspace(at[0], at[-1], _POINTS))
    drawn = (PchipInterpolator(at, column)(grid) for column in (values, errors))
    return np.exp(grid), *drawn  # type: ignore[return-value]


def has_curve(result: ClaimResult, quantity: Quantity) -> bool:
    """Whether the theory of a quantity is solved along alpha."""
    return any(len(_along(curve, quantity.key)[0]) for curve in result.curves)


def _along(curve: Curve, key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = [
        (alpha, getattr(values, key, None), getattr(errors, key, None) or 0.0)
        for alpha, values, errors in zip(curve.alphas, curve.values, curve.errors, strict=True)
        if getattr(values, key, None) is not None
    ]
    return tuple(np.array(rows).reshape(-1, 3).T)  # type: ignore[return-value]


def _side_by_side(result: ClaimResult) -> dict[str, float]:
    """Where each point is marked: at its alpha, those of one curve and alpha beside each other."""
    places = {}
    alphas = {point.point.key: float(point.point.problem.alpha) for point in result.points}
    for curve in result.curves:
        for alpha in {alphas[key] for key in curve.points}:
            same = [key for key in curve.points if alphas[key] == alpha]
            for index, key in enumerate(same):
                places[key] = alpha * math.exp(_DODGE * (index - (len(same) - 1) / 2))
    return places


def _apart(points: Mapping[str, PointResult], verdicts: Sequence[Verdict]) -> dict[str, float]:
    """Where deviations are drawn: all of one alpha beside each other, whichever their curve."""
    alphas = {one.point: float(points[one.point].point.problem.alpha) for one in verdicts}
    places = {}
    for alpha in set(alphas.values()):
        same = [key for key, own in alphas.items() if own == alpha]
        for index, key in enumerate(same):
            places[key] = alpha * math.exp(_DODGE * (index - (len(same) - 1) / 2))
    return places


def _mark(axes: Any, point: PointResult, alpha: float, verdict: Verdict, style: PointStyle) -> None:
    theory = getattr(point.theory, verdict.quantity, None)
    if theory is None or not verdict.coefficients:
        return
    measured = theory * (1 + verdict.deviation)
    low, high = (theory * (1 + end) for end in verdict.interval)
    sizes = np.array([measured, abs(measured - low), abs(high - measured)])
    _whisker(axes, alpha, sizes, verdict, style)


def _whisker(
    axes: Any, alpha: float, sizes: np.ndarray, verdict: Verdict, style: PointStyle
) -> None:
    """A mark with its interval; (value, below, above)."""
    decided = verdict.outcome is not Outcome.UNDECIDED
    axes.errorbar(
        [alpha],
        sizes[:1],
        sizes[1:, None],
        fmt="X" if verdict.state is State.DISAGREES else style.marker,
        color=style.colour,
        markerfacecolor=style.colour if decided else SURFACE,
        markersize=6,
        elinewidth=1.3,
    )


def _spans_decades(result: ClaimResult, key: str) -> bool:
    values = _heights(result, key)
    return bool(values) and min(values) > 0 and max(values) > 8 * min(values)


def _heights(result: ClaimResult, key: str) -> list[float]:
    """All values of a quantity on the curves of a claim."""
    return [
        value
        for curve in result.curves
        for value in (getattr(values, key, None) for values in curve.values)
        if value is not None
    ]


def _alpha_ticks(axes: Any) -> None:
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    axes.xaxis.set_major_locator(FixedLocator(_ALPHA_TICKS))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
