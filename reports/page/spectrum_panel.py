"""The predicted spectrum at a point of the spectrum claim, with what its runs measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.reports.figures.band_kinds import Kind, band_kind
from attlas.reports.figures.root_scale import square_root_scale
from attlas.reports.figures.spectral_law import draw_bands, draw_outliers
from attlas.reports.numbers import value
from attlas.reports.page.palette import INK, SURFACE, series
from attlas.reports.page.svg import inline, panel
from attlas.solver.learned_spectrum import Spectrum
from attlas.verify.judgement import Verdict

_COLOURS = {Kind.BULK: series(0), Kind.OUTLIERS: series(1), Kind.SIGNAL: series(2)}
_ZERO = series(3)
#: Heights of the marks of runs, in parts of the axes.
_HEIGHTS = {"mean": 0.93, "signal_edge": 0.85, "top": 0.77}


@dataclass(frozen=True)
class _Mark:
    """A position of the spectrum as runs have it, extrapolated to infinite dimension."""

    name: str
    height: float
    predicted: float
    measured: float
    low: float
    high: float


def spectrum_panel(spectrum: Spectrum, verdicts: dict[str, Verdict], title: str, name: str) -> str:
    """Density, outliers and atom of the predicted law, and measured positions, as ``<svg>``.

    Parameters
    ----------
    spectrum : Spectrum
    verdicts : dict from quantity to Verdict
        Of the point; those with an extrapolated deviation are drawn.
    title : str
    name : str
        Unique on the page.
    """
    marks = list(_marks(spectrum, verdicts))
    zeros = _zeros(spectrum, verdicts)
    with panel(4.7, 3.3) as (figure, axes):
        draw_bands(axes, spectrum, _COLOURS, legend=False)
        draw_outliers(axes, spectrum, _COLOURS[Kind.OUTLIERS], legend=False)
        _atom(axes, spectrum, zeros)
        for mark in marks:
            _draw(axes, mark)
        square_root_scale(axes)
        axes.set_ylim(bottom=0, top=1.6 * axes.get_ylim()[1])
        axes.set_xlabel("eigenvalue of the learned map S")
        axes.set_ylabel("density (square-root scale)")
        axes.set_title(title, fontsize=10, loc="left")
        return inline(
            figure, name, f"Spectrum of the learned map: {title}", _spoken(spectrum, zeros, marks)
        )


def _atom(axes: Any, spectrum: Spectrum, zeros: str) -> None:
    """The share of zeros has no density: an arrow at 0, with the share beside it."""
    if spectrum.mass_at_zero == 0:
        return
    axes.annotate(
        "",
        (0, 0.68),
        (0, 0),
        xycoords=("data", "axes fraction"),
        arrowprops={"arrowstyle": "-|>", "color": _ZERO, "linewidth": 2},
    )
    axes.text(
        0.92,
        0.68,
        zeros,
        color=_ZERO,
        fontsize=9,
        ha="right",
        va="center",
        transform=axes.transAxes,
    )


def _draw(axes: Any, mark: _Mark) -> None:
    across = axes.get_xaxis_transform()
    axes.plot(
        [mark.predicted] * 2,
        [0, mark.height],
        color=INK,
        linewidth=0.7,
        linestyle=":",
        transform=across,
    )
    axes.errorbar(
        [mark.measured],
        [mark.height],
        xerr=[[mark.measured - mark.low], [mark.high - mark.measured]],
        fmt="o",
        color=INK,
        markerfacecolor=SURFACE,
        markersize=4.5,
        elinewidth=1.2,
        capsize=2.5,
        transform=across,
    )
    right = mark.measured > 0.6 * axes.get_xlim()[1]
    axes.annotate(
        mark.name,
        (mark.low if right else mark.high, mark.height),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if right else 5, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        va="center",
        fontsize=8.5,
    )


def _marks(spectrum: Spectrum, verdicts: dict[str, Verdict]) -> Iterator[_Mark]:
    names = {
        "mean": "mean eigenvalue",
        "signal_edge": "last of the signal",
        "top": "largest eigenvalue",
    }
    for key, predicted in _positions(spectrum).items():
        verdict = verdicts.get(key)
        if verdict is None or not verdict.coefficients:
            continue
        measured, low, high = (
            predicted * (1 + change) for change in (verdict.deviation, *verdict.interval)
        )
        yield _Mark(names[key], _HEIGHTS[key], predicted, measured, low, high)


def _positions(spectrum: Spectrum) -> dict[str, float]:
    """Predicted positions at infinite dimension."""
    x, rho = np.array(spectrum.density.x), np.array(spectrum.density.rho)
    found = {"mean": _mean(spectrum, x, rho)}
    signal = [band for band in spectrum.bands if band_kind(band, spectrum) is Kind.SIGNAL]
    if signal:
        found["signal_edge"] = signal[0].lower
    tops = [band.upper for band in spectrum.bands] + [one.location for one in spectrum.outliers]
    if tops:
        found["top"] = max(tops)
    return found


def _mean(spectrum: Spectrum, x: np.ndarray, rho: np.ndarray) -> float:
    """Tr S/d: outliers of a spiked target carry no mass."""
    total = 0.0
    for band in spectrum.bands:
        keep = (x >= band.lower) & (x <= band.upper)
        total += float(np.trapezoid(x[keep] * rho[keep], x[keep]))
    return total


def _zeros(spectrum: Spectrum, verdicts: dict[str, Verdict]) -> str:
    """The share of zeros, predicted and as runs have it."""
    said = f"{100 * spectrum.mass_at_zero:.1f} % zeros"
    verdict = verdicts.get("rank_fraction")
    if verdict is None or not verdict.coefficients:
        return said
    rank = spectrum.rank_fraction
    low, high = (100 * (1 - rank * (1 + end)) for end in reversed(verdict.interval))
    return f"{said}; runs: {low:.1f} to {high:.1f} %"


def _spoken(spectrum: Spectrum, zeros: str, marks: list[_Mark]) -> str:
    bands = "; ".join(
        f"{band_kind(band, spectrum).value} from {value(band.lower)} to {value(band.upper)}"
        for band in spectrum.bands
    )
    outliers = ", ".join(value(one.location) for one in spectrum.outliers)
    runs = "; ".join(
        f"{mark.name} {value(mark.measured)}, predicted {value(mark.predicted)}" for mark in marks
    )
    return (
        f"{zeros}. {bands}." + (f" Outliers at {outliers}." if outliers else "") + f" Runs: {runs}."
    )
