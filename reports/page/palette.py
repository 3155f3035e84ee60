"""Colours of the page and its figures, as style variables that follow the reader's theme.

Matplotlib is given placeholders, which :func:`themed` replaces by the page's variables, so that
one figure serves light, dark and print.
"""

from __future__ import annotations

from typing import Any

#: Placeholder -> style variable. Series are told apart by luminance, which greyscale print and any
#: colour vision keep, and by their lines and markers besides.
SERIES: tuple[str, ...] = ("#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04", "#0a0b05", "#0a0b06")
INK = "#0a0bf0"
MUTED = "#0a0bf1"
GRID = "#0a0bf2"
SURFACE = "#0a0bf3"
BAND = "#0a0bf4"

_VARIABLES: dict[str, str] = {
    **{colour: f"var(--series-{index})" for index, colour in enumerate(SERIES, start=1)},
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    SURFACE: "var(--surface)",
    BAND: "var(--band)",
}

#: Lines of the series: on, off, on, ... in widths of the line.
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)), "-.")
MARKERS: tuple[str, ...] = ("o", "s", "D", "^", "v", "P")


def line(index: int) -> Any:
    """Line style of a series."""
    return LINES[index % len(LINES)]


def series(index: int) -> str:
    """Placeholder of the colour of a series."""
    return SERIES[index % len(SERIES)]


def themed(svg: str) -> str:
    """The figure with its placeholders replaced."""
    for placeholder, variable in _VARIABLES.items():
        svg = svg.replace(placeholder, variable)
    return svg
