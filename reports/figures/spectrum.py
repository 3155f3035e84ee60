"""The spectrum of a trained map: atom at zero, bulk, bands of the signal, outliers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.band_kinds import Kind
from attlas.reports.figures.root_scale import square_root_scale
from attlas.reports.figures.sheet import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PURPLE,
    SURFACE,
    sheet,
)
from attlas.reports.figures.spectral_law import draw_bands, draw_outliers
from attlas.reports.naming import parameters_text
from attlas.solver.learned_spectrum import Spectrum
from attlas.verify.simulation.result import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {Kind.BULK: BLUE, Kind.SIGNAL: GREEN, Kind.OUTLIERS: ORANGE}

#: Most bins of trained eigenvalues in a band.
_BINS = 16
#: A bulk narrower than this share of the spectrum is magnified.
_SLIVER = 0.03


def spectrum_figure(spectrum: Spectrum, runs: Sequence[Run] = ()) -> Figure:
    """The predicted law, and trained spectra over it.

    Parameters
    ----------
    spectrum : Spectrum
    runs : sequence of Run
        Of the same problem; none is fine.
    """
    with sheet(7.6, 3.7, widths=(1.0, 7.0)) as (figure, (zero, axes)):
        trained = [run.non_zero_eigenvalues for run in runs]
        zeros = [1 - len(values) / run.d for values, run in zip(trained, runs, strict=True)]
        _atom(zero, spectrum, zeros)
        draw_bands(axes, spectrum, _COLOURS, legend=True)
        draw_outliers(axes, spectrum, ORANGE, legend=True)
        if runs:
            _histogram(axes, spectrum, trained, runs[0].d)
        _finish(axes, spectrum)
        _magnify(axes, spectrum, trained, runs)
        figure.suptitle(_title(spectrum), x=0.01, ha="left", fontsize=10)
    return figure


def _atom(axes: Any, spectrum: Spectrum, zeros: list[float]) -> None:
    """The share of zero eigenvalues, on axes of its own: an atom has no density."""
    axes.bar([0], [spectrum.mass_at_zero], width=0.5, color=PURPLE, alpha=0.35)
    axes.plot([-0.25, 0.25], [spectrum.mass_at_zero] * 2, color=PURPLE, linewidth=2)
    shift = np.linspace(-0.12, 0.12, len(zeros)) if len(zeros) > 1 else np.zeros(len(zeros))
    axes.plot(shift, zeros, "o", color=INK, markersize=4, markerfacecolor=SURFACE)
    axes.set_xlim(-0.6, 0.6)
    axes.set_ylim(0, 1)
    axes.set_xticks([0])
    axes.set_xlabel("zero")
    axes.set_ylabel("share of eigenvalues that are 0")
    axes.grid(visible=False, axis="x")


def _histogram(axes: Any, spectrum: Spectrum, trained: list[np.ndarray], d: int) -> None:
    """Mean density of the runs with its standard error, in bins that follow the bands."""
    edges = _edges(spectrum, trained)
    counts = np.array([np.histogram(values, edges)[0] for values in trained])
    width = np.diff(edges)
    density = counts / (d * width)
    mean = density.mean(axis=0)
    keep = counts.sum(axis=0) > 0
    bars = density.std(axis=0, ddof=1) / np.sqrt(len(trained)) if len(trained) > 1 else None
    middle = (edges[1:] + edges[:-1]) / 2
    axes.errorbar(
        middle[keep],
        mean[keep],
        None if bars is None else bars[keep],
        width[keep] / 2,
        fmt="o",
        color=INK,
        markerfacecolor=SURFACE,
        markersize=4,
        elinewidth=0.9,
        label=f"trained heads: {len(trained)} at d = {d}",
    )
    everything = np.concatenate(trained)
    axes.plot(
        everything,
        np.zeros_like(everything),
        "|",
        color=INK,
        markersize=7,
        markeredgewidth=0.5,
        clip_on=False,
    )


def _edges(spectrum: Spectrum, trained: list[np.ndarray]) -> np.ndarray:
    top = max((values.max() for values in trained if values.size), default=1.0)
    bottom = min((values.min() for values in trained if values.size), default=0.0)
    cuts = {
        1.02 * min([0.0, bottom, *(band.lower for band in spectrum.bands)]),
        1.02 * max([top, *(band.upper for band in spectrum.bands)]),
    }
    if spectrum.bulk_edge:
        cuts.add(spectrum.bulk_edge)
    cuts |= {gap.upper for gap in spectrum.gaps if len(spectrum.bands) < 4}
    ordered = sorted(cuts)
    values = np.concatenate(trained)
    parts = []
    for low, high in pairwise(ordered):
        held = int(np.sum((values > low) & (values <= high)))
        bins = min(max(1, math.isqrt(held)), _BINS)
        parts.append(np.linspace(low, high, bins, endpoint=False))
    return np.concatenate([*parts, [ordered[-1]]])


def _magnify(axes: Any, spectrum: Spectrum, trained: list[np.ndarray], runs: Sequence[Run]) -> None:
    """The bulk once more, larger, where it is a sliver of the whole."""
    edge = spectrum.bulk_edge
    if not edge or edge > _SLIVER * spectrum.bands[-1].upper:
        return
    inset = axes.inset_axes((0.1, 0.42, 0.3, 0.5))
    draw_bands(inset, spectrum, _COLOURS, legend=True)
    if runs:
        _histogram(inset, spectrum, trained, runs[0].d)
    inset.set_xlim(0, 1.3 * edge)
    square_root_scale(inset)
    inset.set_ylim(bottom=0)
    inset.set_title("the bulk, magnified", fontsize=8, color=MUTED)
    inset.tick_params(labelsize=7)
    inset.set_in_layout(False)


def _finish(axes: Any, spectrum: Spectrum) -> None:
    square_root_scale(axes)
    axes.set_ylim(bottom=0)
    tops = [band.upper for band in spectrum.bands] + [one.location for one in spectrum.outliers]
    if tops:
        lowest = min((band.lower for band in spectrum.bands), default=0.0)
        axes.set_xlim(left=min(-0.02 * max(tops), 1.04 * lowest))
    axes.set_xlabel("eigenvalue of the learned map S")
    axes.set_ylabel("density of the others (square-root scale)")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", fontsize=9)
    if not tops:
        axes.text(0.5, 0.5, "S = 0: nothing is learned", transform=axes.transAxes, ha="center")


def _shortened(text: str, most: int = 110) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _title(spectrum: Spectrum) -> str:
    named = parameters_text(spectrum.problem)
    target = spectrum.problem.target
    if target.wishart_ratio is None and target.grammar() not in named:
        named += f", {target.grammar()}"
    lost = "".join(
        f"; spike {one.target:g} leaves no outlier, {one.needs:.3g} would"
        for one in spectrum.undetected
    )
    noisy = f"S₀ + {spectrum.delta:.3g} Z"
    positive = spectrum.problem.estimator.trained().positive
    law = f"ReLU({noisy} − {spectrum.epsilon:.3g})" if positive else f"({noisy})"
    return f"{_shortened(named)}\nS ~ {spectrum.eta:.3g} {law}{lost}"
