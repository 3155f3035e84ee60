"""Matplotlib figures as inline SVG that a page can theme, scale and read aloud."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from attlas.reports.figures.plot_style import plot_style
from attlas.reports.page.palette import GRID, INK, MUTED, themed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE = plot_style(INK, MUTED, GRID)


@contextmanager
def panel(width: float = 4.7, height: float = 3.1) -> Iterator[tuple[Figure, Axes]]:
    """A figure with one pair of axes in the page's style; no window system is involved."""
    with stacked((1.0,), width, height) as (figure, (axes,)):
        yield figure, axes


@contextmanager
def stacked(
    heights: Sequence[float], width: float = 4.7, height: float = 4.3
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure with axes above each other, which share what is along them."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(
            len(heights), sharex=True, squeeze=False, gridspec_kw={"height_ratios": list(heights)}
        )
        yield figure, list(grid.ravel())


def inline(figure: Figure, name: str, title: str, description: str) -> str:
    """The figure as an ``<svg>`` element.

    Parameters
    ----------
    figure : Figure
    name : str
        Unique on the page; prefixes the element's ids.
    title, description : str
        What a screen reader says.
    """
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name, "svg.id": name}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = themed(stream.getvalue())
    body = text[text.index("<svg") :]
    view = re.search(r'viewBox="([^"]*)"', body)
    content = _slim(body[body.index(">") + 1 :], name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'role="img" viewBox="{view.group(1) if view else ""}" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>{content}'
    )


def _slim(content: str, name: str) -> str:
    """The drawing with a hundredth of a point, without what nothing refers to."""
    content = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", content, flags=re.S)
    content = re.sub(r"(\.\d\d)\d+", r"\1", content)
    referred = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]*)', content))
    content = re.sub(
        r' id="([^"]*)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in referred else "", content
    )
    content = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", content)
    return re.sub(r"\s*\n\s*", " ", content).replace("> <", "><")


def classed(page: str) -> tuple[str, str]:
    """A page whose drawings share their styles as classes, and the style sheet of those."""
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return f'class="{names.setdefault(match[1], f"s{len(names)}")}"'

    text = re.sub(
        r"<svg xmlns.*?</svg>",
        lambda svg: re.sub(r'style="([^"]*)"', name, svg[0]),
        page,
        flags=re.S,
    )
    rules = (f".{short}{{{unescape(style)}}}" for style, short in names.items())
    return text, "\n".join(rules)


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, str, Any]], gap: float = 0.075) -> None:
    """Write labels beside the right ends of lines, pushed apart where they would overlap.

    Parameters
    ----------
    axes : Axes
        With its final limits.
    ends : sequence of (y, text, colour, line style)
        Before each text stands a piece of its line.
    gap : float
        Least distance between labels, in axes heights.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    left = axes.get_xlim()[0]
    placed = sorted(
        ((float(to_axes.transform((left, y))[1]), *rest) for y, *rest in ends),
        key=lambda one: one[0],
    )
    heights = spread([height for height, *_ in placed], gap)
    for height, (_, text, colour, style) in zip(heights, placed, strict=True):
        axes.plot(
            [1.01, 1.07],
            [height] * 2,
            color=colour,
            linestyle=style,
            linewidth=1.8,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(1.085, height, text, transform=axes.transAxes, va="center", fontsize=9)


def spread(heights: list[float], gap: float) -> list[float]:
    """Increasing heights moved as little as a few sweeps allow to be ``gap`` apart."""
    moved = list(heights)
    for _ in range(50):
        for index in range(len(moved) - 1):
            short = gap - (moved[index + 1] - moved[index])
            if short > 1e-9:
                moved[index] -= short / 2
                moved[index + 1] += short / 2
    return moved
