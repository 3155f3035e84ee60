"""The figure of deviations against 1/d, with the fits that reach infinite dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attlas.reports.numbers import tenths
from attlas.reports.page.palette import BAND, MUTED
from attlas.reports.page.points import PointStyle, point_styles, verdicts_of
from attlas.reports.page.svg import inline, label_ends, panel
from attlas.verify.claims import Quantity
from attlas.verify.judgement import Verdict
from attlas.verify.judgement.extrapolation import intercept_weights
from attlas.verify.suite.result import ClaimResult, PointResult


def extrapolation(result: ClaimResult, quantity: Quantity, name: str) -> str:
    """Relative deviations of runs from their paired theory against 1/d, with the fits."""
    styles = point_styles(result)
    points = {point.point.key: point for point in result.points}
    verdicts = [v for v in verdicts_of(result, quantity.key) if v.coefficients]
    unit = unit_for(max((_largest(points[v.point], v) for v in verdicts), default=1.0))
    reach = max((1 / min(v.sizes) for v in verdicts), default=1.0)
    with panel() as (figure, axes):
        ends = []
        for place, verdict in enumerate(verdicts):
            style = styles[verdict.point]
            shift = 0.012 * reach * (place - (len(verdicts) - 1) / 2)
            ends.append((_draw_fit(axes, points[verdict.point], verdict, style, unit), style))
            _draw_sizes(axes, points[verdict.point], verdict, style, unit, shift)
        if verdicts:
            margin = unit.factor * min(verdict.high for verdict in verdicts)
            axes.axhspan(-margin, margin, color=BAND, linewidth=0)
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.locator_params(nbins=5)
        axes.set_xlim(-0.06 * reach, 1.06 * reach)
        axes.set_xlabel("1/d  (0 is infinite dimension)")
        axes.set_ylabel(f"{quantity.name}: deviation, {unit.name}")
        figure.draw_without_rendering()
        label_ends(axes, [(y, style.letter, style.colour, style.line) for y, style in ends])
        return inline(
            figure,
            name,
            f"Deviation of {quantity.name} from theory against 1/d",
            "Mean relative deviation at each dimension with its standard error, the fit with its "
            "band, and the interval at infinite dimension, as in the table of comparisons.",
        )


@dataclass(frozen=True)
class Unit:
    """What deviations are drawn in."""

    factor: float
    name: str


def unit_for(largest: float) -> Unit:
    """Percent, or a power of a thousand that keeps small deviations readable."""
    if largest >= 1e-4 or largest <= 0:
        return Unit(100.0, "%")
    power = 3 * math.ceil(-math.log10(largest) / 3)
    return Unit(10.0**power, tenths(power))


def _largest(point: PointResult, verdict: Verdict) -> float:
    sizes = _by_size(point, verdict.quantity)
    drawn = [verdict.high, *map(abs, verdict.interval), *(abs(sizes.mean) + sizes.error)]
    return max(value for value in drawn if math.isfinite(value))


def _draw_fit(axes, point: PointResult, verdict: Verdict, style: PointStyle, unit: Unit) -> float:
    """The fit and its band; returns its height at the smallest dimension."""
    sizes = _by_size(point, verdict.quantity)
    grid = np.linspace(0, sizes.x.max(), 9)
    fit = np.polynomial.polynomial.polyval(grid, verdict.coefficients)
    axes.plot(
        grid,
        unit.factor * fit,
        color=style.colour,
        linestyle=style.line,
        linewidth=1,
        clip_on=False,
    )
    # The error of the fit along 1/d, scaled to the judge's interval where that is stated.
    weights = intercept_weights(1 / sizes.x, sizes.count, verdict.order)
    powers = grid[:, None] ** np.arange(verdict.order + 1)
    along = np.sqrt((powers @ weights) ** 2 @ sizes.error**2)
    if along[0] > 0:
        low, high = verdict.interval
        half = (high - low) / 2 * along / along[0]
        axes.fill_between(
            grid,
            unit.factor * (fit - half),
            unit.factor * (fit + half),
            color=style.colour,
            alpha=0.12,
            linewidth=0,
            clip_on=False,
        )
    return float(unit.factor * fit[-1])


def _draw_sizes(
    axes, point: PointResult, verdict: Verdict, style: PointStyle, unit: Unit, shift: float
) -> None:
    """Means at each dimension, and the interval at infinite dimension."""
    sizes = _by_size(point, verdict.quantity)
    axes.errorbar(
        sizes.x + shift,
        unit.factor * sizes.mean,
        unit.factor * sizes.error,
        fmt=style.marker,
        color=style.colour,
        markersize=4.5,
        elinewidth=1,
        clip_on=False,
    )
    ends = [unit.factor * end for end in verdict.interval]
    axes.plot([shift, shift], ends, color=style.colour, linewidth=3, clip_on=False)


@dataclass(frozen=True)
class _Sizes:
    """1/d, mean deviation, its standard error and the number of runs at each size."""

    x: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    count: np.ndarray


def _by_size(point: PointResult, key: str) -> _Sizes:
    groups: dict[int, list[float]] = {}
    for row in point.rows:
        theory = row.theory.get(key)
        if row.converged and theory:
            groups.setdefault(row.case.d, []).append((row.measured[key] - theory) / theory)
    sizes = sorted(groups)
    errors = [
        float(np.std(groups[d], ddof=1) / np.sqrt(len(groups[d]))) if len(groups[d]) > 1 else 0.0
        for d in sizes
    ]
    return _Sizes(
        1 / np.array(sizes, dtype=float),
        np.array([np.mean(groups[d]) for d in sizes]),
        np.array(errors),
        np.array([len(groups[d]) for d in sizes]),
    )
