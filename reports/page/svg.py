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

    for axes in figure.axes:
        for line in (*axes.get_xgridlines(), *axes.get_ygridlines()):
            line.set_clip_on(False)  # they end at the frame anyhow
    stream = io.StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name, "svg.id": name}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = themed(stream.getvalue())
    body = text[text.index("<svg") :]
    view = re.search(r'viewBox="([^"]*)"', body)
    content = _slim(body[body.index(">") + 1 :], name)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="{view.group(1) if view else ""}" '
        f'aria-labelledby="{name}-title {name}-description">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-description">{escape(description)}</desc>{content}'
    )


def _slim(content: str, name: str) -> str:
    """The drawing to a tenth of a point, without groups and names that nothing refers to."""
    unused = (
        r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>| transform=\"rotate\(-?0 [^\"]*\""
    )
    content = re.sub(unused, "", content, flags=re.S).replace("xlink:href", "href")
    content = re.sub(r"<[^>]*>", _tenths, content)
    referred = set(re.findall(r'(?:href="#|url\(#)([^")]*)', content))
    content = re.sub(
        r' id="([^"]*)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in referred else "", content
    )
    content = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", content)
    content = re.sub(r"\s+", " ", content).replace("> <", "><").replace("<defs></defs>", "")
    content = re.sub(r' d="[^"]*"', lambda m: re.sub(r" ?([MLQCz]) ?", r"\1", m[0]), content)
    before = ""
    while before != content:
        before, content = content, re.sub(r"<g>((?:(?!<g[ >]|</g>).)*)</g>", r"\1", content)
    return content


def _tenths(element: re.Match[str]) -> str:
    """An element with its coordinates to a tenth of a point; text is left as it is."""
    return re.sub(r"(?<=\d)\.0(?!\d)", "", re.sub(r"(?<=\d)(\.\d)\d+", r"\1", element[0]))


def classed(page: str) -> tuple[str, str]:
    """A page whose drawings share their styles as classes, and the style sheet of those.

    What their parts are called inside is shortened too.
    """
    names: dict[str, str] = {}
    parts: dict[str, str] = {}

    def style(match: re.Match[str]) -> str:
        return f'class="{names.setdefault(match[1], f"s{len(names)}")}"'

    def part(match: re.Match[str]) -> str:
        return match[1] + parts.setdefault(match[2], f"p{len(parts)}")

    def drawing(match: re.Match[str]) -> str:
        text = re.sub(r'style="([^"]*)"', style, match[0])
        return re.sub(
            r'( id="|href="#|url\(#|aria-labelledby="| (?=\S+-desc))([^"\s)]+)', part, text
        )

    text = re.sub(r"<svg xmlns.*?</svg>", drawing, page, flags=re.S)
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
