"""The figures of a claim: theory and runs against alpha, and the extrapolation in 1/d."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.figures.ticks import plain_log_ticks
from reports.naming import distinguished, letter
from reports.numbers import tenths
from reports.page.palette import BAND, MARKERS, MUTED, SURFACE, series
from reports.page.svg import inline, label_ends, panel
from verify.claims import Quantity
from verify.judgement import Outcome, Verdict
from verify.judgement.extrapolation import intercept_weights
from verify.suite.result import ClaimResult, Curve, PointResult

#: A curve of one alpha is drawn as a level that reaches this factor to either side.
_LEVEL_REACH = 1.8
#: Distance of points of one alpha in the logarithm of alpha.
_DODGE = 0.15
_ALPHA_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


@dataclass(frozen=True)
class PointStyle:
    """How a point looks in every figure of its claim."""

    letter: str
    colour: str
    marker: str


def point_styles(result: ClaimResult) -> dict[str, PointStyle]:
    """Colour by curve, marker by place on it."""
    letters = {point.point.key: letter(i) for i, point in enumerate(result.points)}
    return {
        key: PointStyle(letters[key], series(index), MARKERS[place % len(MARKERS)])
        for index, curve in enumerate(result.curves)
        for place, key in enumerate(curve.points)
    }


def learning_curve(result: ClaimResult, quantity: Quantity, name: str) -> str:
    """Theory (lines) and extrapolated runs (marks) of a quantity against alpha."""
    styles = point_styles(result)
    points = {point.point.key: point for point in result.points}
    problems = [points[curve.points[0]].point.problem for curve in result.curves]
    labels = distinguished(problems)
    beside = _side_by_side(result)
    with panel() as (figure, axes):
        ends = []
        for index, curve in enumerate(result.curves):
            alphas, values, errors = _along(curve, quantity.key)
            if not len(alphas):
                continue
            if len(alphas) == 1:  # nothing to connect: a level
                alphas = alphas * np.array([1 / _LEVEL_REACH, _LEVEL_REACH])
                values, errors = np.repeat(values, 2), np.repeat(errors, 2)
            axes.plot(alphas, values, color=series(index), linewidth=1.8)
            axes.fill_between(
                alphas, values - errors, values + errors, color=series(index), alpha=0.3
            )
            ends.append((float(values[-1]), labels[index], series(index)))
        for verdict in _of(result, quantity.key):
            alpha = beside[verdict.point]
            _mark(axes, points[verdict.point], alpha, verdict, styles[verdict.point])
        axes.set_xscale("log")
        if _spans_decades(result, quantity.key):
            axes.set_yscale("log")
            plain_log_ticks(axes.yaxis, _heights(result, quantity.key), (1, 2, 5))
        _alpha_ticks(axes)
        axes.set_xlabel("α = n/d²  (samples per squared dimension)")
        axes.set_ylabel(quantity.name)
        figure.draw_without_rendering()
        label_ends(axes, ends)
        return inline(
            figure,
            name,
            f"{quantity.name} against alpha",
            f"Theory as lines for {'; '.join(labels)}. " + _spoken(result, quantity),
        )


def extrapolation(result: ClaimResult, quantity: Quantity, name: str) -> str:
    """Relative deviations of runs from their paired theory against 1/d, with the fits."""
    styles = point_styles(result)
    points = {point.point.key: point for point in result.points}
    verdicts = [v for v in _of(result, quantity.key) if v.coefficients]
    unit = _unit(max((_largest(points[v.point], v) for v in verdicts), default=1.0))
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
        axes.set_xlim(-0.06 * reach, 1.06 * reach)
        axes.set_xlabel("1/d  (0 is infinite dimension)")
        axes.set_ylabel(f"{quantity.name}: deviation, {unit.name}")
        figure.draw_without_rendering()
        label_ends(axes, [(height, style.letter, style.colour) for height, style in ends])
        return inline(
            figure,
            name,
            f"Deviation of {quantity.name} from theory against 1/d",
            "Mean relative deviation at each dimension with its standard error, the fit with its "
            "band, and the interval at infinite dimension. " + _spoken(result, quantity),
        )


@dataclass(frozen=True)
class _Unit:
    """What deviations are drawn in."""

    factor: float
    name: str


def _unit(largest: float) -> _Unit:
    """Percent, or a power of a thousand that keeps small deviations readable."""
    if largest >= 1e-4 or largest <= 0:
        return _Unit(100.0, "%")
    power = 3 * math.ceil(-math.log10(largest) / 3)
    return _Unit(10.0**power, tenths(power))


def _largest(point: PointResult, verdict: Verdict) -> float:
    sizes = _by_size(point, verdict.quantity)
    drawn = [verdict.high, *map(abs, verdict.interval), *(abs(sizes.mean) + sizes.error)]
    return max(value for value in drawn if math.isfinite(value))


def _draw_fit(axes, point: PointResult, verdict: Verdict, style: PointStyle, unit: _Unit) -> float:
    """The fit and its band; returns its height at the smallest dimension."""
    sizes = _by_size(point, verdict.quantity)
    grid = np.linspace(0, sizes.x.max(), 50)
    fit = np.polynomial.polynomial.polyval(grid, verdict.coefficients)
    axes.plot(grid, unit.factor * fit, color=style.colour, linewidth=1, alpha=0.8)
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
        )
    return float(unit.factor * fit[-1])


def _draw_sizes(
    axes, point: PointResult, verdict: Verdict, style: PointStyle, unit: _Unit, shift: float
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
        capsize=2,
    )
    ends = [unit.factor * end for end in verdict.interval]
    axes.plot([shift, shift], ends, color=style.colour, linewidth=3)


def _of(result: ClaimResult, quantity: str) -> list[Verdict]:
    return [verdict for verdict in result.verdicts if verdict.quantity == quantity]


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


def _mark(axes, point: PointResult, alpha: float, verdict: Verdict, style: PointStyle) -> None:
    theory = getattr(point.theory, verdict.quantity, None)
    if theory is None or not verdict.coefficients:
        return
    measured = theory * (1 + verdict.deviation)
    low, high = (theory * (1 + end) for end in verdict.interval)
    decided = verdict.outcome is not Outcome.UNDECIDED
    axes.errorbar(
        [alpha],
        [measured],
        [[measured - low], [high - measured]],
        fmt="X" if verdict.outcome is Outcome.DISAGREES else style.marker,
        color=style.colour,
        markerfacecolor=style.colour if decided else SURFACE,
        markersize=6,
        elinewidth=1.3,
        capsize=3,
    )
    axes.annotate(
        style.letter,
        (alpha, measured),
        xytext=(6, 5),
        textcoords="offset points",
        color=style.colour,
        fontsize=9,
        fontweight="bold",
    )


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


def _alpha_ticks(axes) -> None:
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    axes.xaxis.set_major_locator(FixedLocator(_ALPHA_TICKS))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _spoken(result: ClaimResult, quantity: Quantity) -> str:
    """The figure's content in words."""
    return " ".join(
        f"Point {verdict.point}: deviation {100 * verdict.deviation:+.2f} percent, "
        f"{verdict.outcome.value}."
        for verdict in _of(result, quantity.key)
        if verdict.coefficients
    )


@dataclass(frozen=True)
class Panels:
    """The figures of a quantity; there is no curve where the theory is not solved along alpha."""

    quantity: Quantity
    curve: str | None
    scaling: str


def panels(result: ClaimResult, quantities: Sequence[Quantity]) -> list[Panels]:
    """The figures of each quantity."""
    return [
        Panels(
            quantity,
            learning_curve(result, quantity, f"{result.claim.id}-{quantity.key}-alpha")
            if any(len(_along(curve, quantity.key)[0]) for curve in result.curves)
            else None,
            extrapolation(result, quantity, f"{result.claim.id}-{quantity.key}-size"),
        )
        for quantity in quantities
    ]
