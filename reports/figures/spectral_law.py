"""Bands and outliers of a predicted spectrum: one drawing, for files and for the report's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attlas.reports.figures.band_kinds import Kind, band_kind
from attlas.solver.learned_spectrum import Spectrum


def draw_bands(axes: Any, spectrum: Spectrum, colours: Mapping[Kind, str], *, legend: bool) -> None:
    """The density of every band; kinds are named in a legend, or else at the bands themselves."""
    x, rho = np.array(spectrum.density.x), np.array(spectrum.density.rho)
    named: set[Kind] = set()
    for band in spectrum.bands:
        kind = band_kind(band, spectrum)
        colour = colours[kind]
        keep = (x >= band.lower) & (x <= band.upper)
        label = kind.value if legend and kind not in named else None
        named.add(kind)
        axes.fill_between(x[keep], 0, rho[keep], color=colour, alpha=0.3, linewidth=0, label=label)
        axes.plot(x[keep], rho[keep], color=colour, linewidth=1.5)
        if not legend:
            peak = int(np.argmax(rho[keep]))
            at = (float(x[keep][peak]), float(rho[keep][peak]))
            _name(axes, kind.value, at, (3, 4), colour, "left")


def draw_outliers(axes: Any, spectrum: Spectrum, colour: str, *, legend: bool) -> None:
    """A mark at every outlier, as high as its overlap."""
    if not spectrum.outliers:
        return
    at = [one.location for one in spectrum.outliers]
    top = axes.get_ylim()[1]
    heights = [0.55 * top * one.overlap for one in spectrum.outliers]
    label = "outliers, as high as their overlap" if legend else None
    axes.vlines(at, 0, heights, color=colour, linewidth=1)
    axes.plot(at, heights, "D", color=colour, markersize=5, label=label)
    if not legend:
        side = "right" if at[0] > sum(axes.get_xlim()) / 2 else "left"
        _name(axes, "outliers", (at[0], heights[0]), (0, 6), colour, side)


def _name(
    axes: Any, text: str, at: tuple[float, float], offset: tuple[int, int], colour: str, side: str
) -> None:
    axes.annotate(
        text, at, xytext=offset, textcoords="offset points", ha=side, color=colour, fontsize=9
    )
