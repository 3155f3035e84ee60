"""The figure of a quantity against alpha: theory as lines, extrapolated runs as marks."""

from __future__ import annotations

import math

import numpy as np

from attlas.reports.figures.ticks import plain_log_ticks
from attlas.reports.naming import distinguished
from attlas.reports.page.palette import SURFACE, series
from attlas.reports.page.points import PointStyle, point_styles, spoken, verdicts_of
from attlas.reports.page.svg import inline, label_ends, panel
from attlas.verify.claims import Quantity
from attlas.verify.judgement import Outcome, Verdict
from attlas.verify.suite.result import ClaimResult, Curve, PointResult

#: A curve of one alpha is drawn as a level that reaches this factor to either side.
_LEVEL_REACH = 1.8
#: Distance of points of one alpha in the logarithm of alpha.
_DODGE = 0.15
_ALPHA_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


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
        for verdict in verdicts_of(result, quantity.key):
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
            f"Theory as lines for {'; '.join(labels)}. " + spoken(result, quantity),
        )


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
