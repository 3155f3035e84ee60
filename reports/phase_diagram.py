"""A phase diagram as a picture: labelled curves, lettered regions, a map underneath."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reports.naming import letter, parameters_text
from solver.phase import BOUNDARIES, Axis, Curve, PhaseDiagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
_DOTS = 160
#: Behind text, so that it stays readable on lines and maps.
_PAPER: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}


def write_picture(diagram: PhaseDiagram, path: str | Path) -> None:
    """Draw a diagram into a file.

    Parameters
    ----------
    diagram : PhaseDiagram
    path : path
        Ends in ``.svg`` or ``.png``.
    """
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        figure = _draw(diagram)
        if Path(path).suffix == ".svg":
            figure.savefig(path, metadata={"Date": None})
        else:
            figure.savefig(path, dpi=_DOTS)


def _draw(diagram: PhaseDiagram) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.2, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 1.25))
    for axis, setter, limits, scale in (
        (diagram.plane.x, left.set_xlabel, left.set_xlim, left.set_xscale),
        (diagram.plane.y, left.set_ylabel, left.set_ylim, left.set_yscale),
    ):
        setter(_AXES[axis.name])
        scale("log" if axis.log else "linear")
        limits(axis.low, axis.high)
    if diagram.map is not None:
        _map(figure, left, diagram)
    for curve in diagram.curves:
        left.plot(*_along(curve), color=_colour(curve), linestyle=_style(curve), linewidth=2)
    figure.draw_without_rendering()
    _label_curves(left, diagram)
    _letter_regions(left, right, diagram)
    left.set_title(_title(diagram), fontsize=10, loc="left")
    return figure


def _title(diagram: PhaseDiagram) -> str:
    plane = diagram.plane
    text = parameters_text(plane.problem(plane.x.low, plane.y.low))
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


def _map(figure: Figure, axes: Axes, diagram: PhaseDiagram) -> None:
    assert diagram.map is not None
    x, y = diagram.plane.x, diagram.plane.y
    values = diagram.map.column(diagram.map_key).to_numpy(zero_copy_only=False).astype(float)
    grid = values.reshape(len(x.values), len(y.values)).T
    axes.set_facecolor("0.9")  # cells without a solution
    mesh = axes.pcolormesh(
        _edges(x), _edges(y), np.ma.masked_invalid(grid), cmap="cividis", alpha=0.75
    )
    figure.colorbar(mesh, ax=axes, label=str(diagram.map_key), location="top", aspect=40)


def _edges(axis: Axis) -> np.ndarray:
    """Borders of the cells about the grid's values."""
    units = np.array([axis.unit(float(value)) for value in axis.values])
    middles = (units[1:] + units[:-1]) / 2
    return np.array([axis.at(float(u)) for u in (0.0, *middles, 1.0)])


def _label_curves(axes: Axes, diagram: PhaseDiagram) -> None:
    """Write each boundary's name along its longest piece, where other curves are farthest."""
    longest: dict[str, Curve] = {}
    for curve in diagram.curves:
        known = longest.get(curve.boundary)
        if known is None or len(curve.points) > len(known.points):
            longest[curve.boundary] = curve
    pixels = {name: _pixels(axes, curve) for name, curve in longest.items()}
    placed: list[np.ndarray] = []
    for name, line in pixels.items():
        others = [points for other, points in pixels.items() if other != name]
        spot, angle = _free_spot(axes, line, [*others, *placed])
        # Labels are long: they keep other labels away along their whole length.
        reach = np.linspace(-70, 70, 9)[:, None]
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        placed.append(spot + reach * direction)
        x, y = axes.transData.inverted().transform(spot)
        axes.text(
            x,
            y,
            BOUNDARIES[name].label,
            rotation=angle,
            rotation_mode="anchor",
            ha="center",
            va="center",
            fontsize=10,
            color=_COLOURS[_order(name) % len(_COLOURS)],
            bbox=_PAPER,
        )


def _pixels(axes: Axes, curve: Curve) -> np.ndarray:
    """Evenly spaced points along a curve, in pixels."""
    points = axes.transData.transform(np.column_stack(_along(curve)))
    steps = np.hypot(*np.diff(points, axis=0).T)
    lengths = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0, lengths[-1], 60)
    return np.column_stack([np.interp(even, lengths, points[:, k]) for k in (0, 1)])


def _free_spot(axes: Axes, line: np.ndarray, others: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """Where on a line a label has most room, and the line's direction there in degrees."""
    box = axes.bbox
    best, chosen = -np.inf, len(line) // 2
    for index in range(6, len(line) - 6):
        here = line[index]
        edge = min(here[0] - box.x0, box.x1 - here[0], here[1] - box.y0, box.y1 - here[1])
        room = min((float(np.hypot(*(other - here).T).min()) for other in others), default=1e9)
        middle = 1 - abs(index / len(line) - 0.5)
        score = min(room, edge - 60, 120) + 20 * middle
        if score > best:
            best, chosen = score, index
    ahead, back = line[min(chosen + 5, len(line) - 1)], line[chosen - 5]
    angle = float(np.degrees(np.arctan2(*(ahead - back)[::-1])))
    return line[chosen], (angle + 90) % 180 - 90


def _letter_regions(axes: Axes, key: Axes, diagram: PhaseDiagram) -> None:
    key.set_axis_off()
    lines = []
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
            bbox=_PAPER,
        )
        lines.append(f"{name}  " + "\n     ".join(region.sides.values()) + "\n")
    lines += [
        f"No {BOUNDARIES[name].label}:\n     {_wrapped(why)}\n"
        for name, why in diagram.absent.items()
    ]
    key.text(0.0, 1.0, "\n".join(lines), va="top", fontsize=8.5, transform=key.transAxes)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 38, subsequent_indent="     ")
