"""A phase diagram as a picture: labelled curves, lettered regions, a map underneath."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.placement import Box, free_place
from attlas.reports.naming import letter, parameters_text
from attlas.solver.phase import BOUNDARIES, Axis, Curve, PhaseDiagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

#: Okabe and Ito's colours, told apart with any colour vision; a boundary keeps its own.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#444444", "#CC79A7", "#B8860B", "#56B4E9")
_STYLES: tuple[Any, ...] = ("-", "-", "--", "-.", "-", (0, (1, 1)), (0, (5, 1, 1, 1)))
_AXES = {
    "alpha": "α = n/d²  (samples per squared dimension)",
    "kappa0": "κ₀ = p₀/d  (rank of the teacher over dimension)",
    "noise": "Δ  (variance of the label noise)",
    "lam": "λ  (weight decay, loss summed over samples)",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "phase",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
#: A trained head: its place in the plane and its value of the mapped key.
Head = tuple[float, float, float]

#: Inches of the plane, and of a letter of the key beside it.
_WIDTH, _LETTER = 6.5, 0.068
#: Points of small print, and its letters on a line below the plane.
_SMALL, _WRAPPED = 8.5, 105
#: Behind text, so that it stays readable on lines and maps.
_PAPER: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}


def phase_figure(diagram: PhaseDiagram, heads: Sequence[Head] = ()) -> Figure:
    """The picture of a diagram.

    Parameters
    ----------
    diagram : PhaseDiagram
    heads : sequence of (x, y, value)
        Trained heads, as circles on the map's scale of colour; only for a diagram with a map.
    """
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        return _draw(diagram, heads)


def _draw(diagram: PhaseDiagram, heads: Sequence[Head]) -> Figure:
    from attlas.reports.figures.shown import ShownFigure

    regions, absent = _region_lines(diagram), _absent_lines(diagram)
    longest = max((len(line) for line in regions.splitlines()), default=0)
    key = _LETTER * longest
    figure = ShownFigure(figsize=(_WIDTH + key, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(_WIDTH, max(key, 0.01)))
    for axis, setter, limits, scale in (
        (diagram.plane.x, left.set_xlabel, left.set_xlim, left.set_xscale),
        (diagram.plane.y, left.set_ylabel, left.set_ylim, left.set_yscale),
    ):
        setter(_AXES[axis.name])
        scale("log" if axis.log else "linear")
        limits(axis.low, axis.high)
    if diagram.map is not None:
        _map(figure, left, diagram, heads)
    for curve in diagram.curves:
        left.plot(*_along(curve), color=_colour(curve), linestyle=_style(curve), linewidth=2)
    figure.draw_without_rendering()
    _label_curves(left, diagram)
    _letter_regions(left, diagram)
    right.set_axis_off()
    right.text(0.0, 1.0, regions, va="top", fontsize=_SMALL, transform=right.transAxes)
    if absent:
        figure.supxlabel(absent, x=0.01, ha="left", fontsize=_SMALL)
    left.set_title(_title(diagram), fontsize=10, loc="left")
    return figure


def _title(diagram: PhaseDiagram) -> str:
    plane = diagram.plane
    text = parameters_text(plane.problem(plane.x.low, plane.y.low))
    # The curves of the limit do not depend on the penalty that a map is made at.
    only_limits = diagram.map is None and all(BOUNDARIES[c.boundary].limit for c in diagram.curves)
    if only_limits or plane.base.get("lam") == "0":
        text = re.sub("λ = [^,]*", "λ → 0⁺", text)
    varied = {"alpha": "α", "kappa0": "κ₀", "noise": "Δ", "lam": "λ"}
    hidden = tuple(f"{varied[axis.name]} = " for axis in (plane.x, plane.y))
    return ", ".join(part for part in text.split(", ") if not part.startswith(hidden))


def _order(name: str) -> int:
    return list(BOUNDARIES).index(name)


def _colour(curve: Curve) -> str:
    return _COLOURS[_order(curve.boundary) % len(_COLOURS)]


def _style(curve: Curve) -> Any:
    return _STYLES[_order(curve.boundary) % len(_STYLES)]


def _along(curve: Curve) -> tuple[list[float], list[float]]:
    return [point.x for point in curve.points], [point.y for point in curve.points]


def _map(figure: Figure, axes: Axes, diagram: PhaseDiagram, heads: Sequence[Head]) -> None:
    assert diagram.map is not None
    x, y = diagram.plane.x, diagram.plane.y
    values = diagram.map.column(diagram.map_key).to_numpy(zero_copy_only=False).astype(float)
    grid = values.reshape(len(x.values), len(y.values)).T
    axes.set_facecolor("0.9")  # cells without a solution
    mesh: Any = axes.pcolormesh(_edges(x), _edges(y), np.ma.masked_invalid(grid), cmap=_pale())
    if heads:
        x_heads, y_heads, colours = zip(*heads, strict=True)
        axes.scatter(
            x_heads,
            y_heads,
            c=colours,
            norm=mesh.norm,
            cmap=mesh.cmap,
            edgecolors="white",
            linewidths=1.2,
            s=60,
            zorder=3,
        )
    figure.colorbar(mesh, ax=axes, label=str(diagram.map_key), location="top", aspect=40)


def _pale() -> ListedColormap:
    """Cividis, light enough for curves to stand out; opaque, so that equal values look equal."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(0.25 + 0.75 * colormaps["cividis"](np.linspace(0, 1, 256))[:, :3])


def _edges(axis: Axis) -> np.ndarray:
    """Borders of the cells about the grid's values."""
    units = np.array([axis.unit(float(value)) for value in axis.values])
    middles = (units[1:] + units[:-1]) / 2
    return np.array([axis.at(float(u)) for u in (0.0, *middles, 1.0)])


def _label_curves(axes: Axes, diagram: PhaseDiagram) -> None:
    """Write each boundary's name where there is room, with a line to the nearest of its points."""
    lines: dict[str, np.ndarray] = {}
    for curve in diagram.curves:
        points = _pixels(axes, curve)
        lines[curve.boundary] = np.vstack([lines.get(curve.boundary, points[:0]), points])
    taken = [
        Box.about(axes.transData.transform((region.x, region.y)), "M") for region in diagram.regions
    ]
    to_data = axes.transData.inverted()
    for name, line in tuple(lines.items()):
        others = np.vstack(
            [np.full((1, 2), np.inf), *(o for key, o in lines.items() if key != name)]
        )
        box, end = free_place(axes.bbox, _label(name), line, others, taken)
        taken.append(box)
        # Later labels and leaders keep off this leader as they keep off lines.
        lines[f"leader of {name}"] = end + np.linspace(0, 1, 30)[:, None] * (box.centre - end)
        colour = _COLOURS[_order(name) % len(_COLOURS)]
        axes.annotate(
            _label(name),
            xy=tuple(to_data.transform(end)),
            xytext=tuple(to_data.transform(box.centre)),
            ha="center",
            va="center",
            color=colour,
            bbox=_PAPER,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkB": 0},
        )


def _label(name: str) -> str:
    return (
        f"{BOUNDARIES[name].label} (λ → 0⁺)" if BOUNDARIES[name].limit else BOUNDARIES[name].label
    )


def _pixels(axes: Axes, curve: Curve) -> np.ndarray:
    """Evenly spaced points along a curve, in pixels."""
    points = axes.transData.transform(np.column_stack(_along(curve)))
    steps = np.hypot(*np.diff(points, axis=0).T)
    lengths = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0, lengths[-1], 2 + int(lengths[-1] / 5))
    return np.column_stack([np.interp(even, lengths, points[:, k]) for k in (0, 1)])


def _region_lines(diagram: PhaseDiagram) -> str:
    """What each letter stands for; nothing where there is one region."""
    return "\n".join(
        f"{letter(index)}  " + "\n     ".join(region.sides.values()) + "\n"
        for index, region in enumerate(diagram.regions)
        if region.sides
    )


def _absent_lines(diagram: PhaseDiagram) -> str:
    return "\n".join(f"No {BOUNDARIES[name].label}: {why}" for name, why in diagram.absent.items())


def _letter_regions(axes: Axes, diagram: PhaseDiagram) -> None:
    for index, region in enumerate(diagram.regions):
        name = letter(index)
        axes.text(
            region.x,
            region.y,
            name,
            ha="center",
            va="center",
            fontsize=12,
            fontweight="bold",
            bbox=_PAPER if diagram.map is not None else None,
        )
