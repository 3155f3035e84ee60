"""The scaling plane as a picture: local exponents as colour, predicted boundaries as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.sheet import INK, SURFACE, sheet
from attlas.solver.scaling import Plane

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMES = {
    "lambda_c": "λ_c, the best penalty",
    "nothing": "nothing is learned",
    "last_mode": "threshold at the last mode",
}
_UPRIGHT = {"dense": "dense", "interpolation": "n = d²/4", "all_modes": "all modes recovered"}


def scaling_figure(plane: Plane) -> Figure:
    """Draw a plane.

    Parameters
    ----------
    plane : Plane
    """
    slopes, _ = plane.exponents()
    n, lam = np.array(plane.n), np.array(plane.lam)
    with sheet(8.6, 5.4) as (figure, (axes,)):
        middle = np.sqrt(n[1:] * n[:-1])
        mesh = axes.pcolormesh(
            middle, lam, np.clip(slopes, -2, 1), cmap="RdYlBu_r", vmin=-2, vmax=1, shading="nearest"
        )
        bar = figure.colorbar(mesh, ax=axes, pad=0.02)
        bar.set_label("local exponent d log ‖S − S₀‖²/d log n  (clipped to −2 … 1)")
        axes.set(xscale="log", yscale="log", xlim=(n[0], n[-1]), ylim=(lam[0], lam[-1]))
        _curves(axes, plane, n, lam)
        _names(axes, plane)
        axes.set_xlabel("n  (samples)")
        axes.set_ylabel("λ  (penalty, loss summed over samples)")
        axes.grid(visible=False)
        axes.set_title(
            f"{plane.target.grammar()}, Δ = {plane.noise:g}, T = 1: exponents of the numerical "
            "solution, predicted boundaries",
            fontsize=10,
            loc="left",
        )
    return figure


def _curves(axes: Any, plane: Plane, n: np.ndarray, lam: np.ndarray) -> None:
    for key, place in (("nothing", 0.24), ("lambda_c", 0.62), ("last_mode", 0.86)):
        boundary = plane.boundaries()[key]
        values = np.array([boundary(float(at)) for at in n])
        critical = np.array([plane.boundaries()["lambda_c"](float(at)) for at in n])
        shown = values >= critical * 0.999
        shown &= (values >= lam[0]) & (values <= lam[-1])
        if not shown.any():
            continue
        axes.plot(n[shown], values[shown], color=INK, linewidth=1.6)
        visible = np.flatnonzero(shown)
        # A line too short for its name has it before its beginning.
        short = visible.size < n.size / 4
        at = visible[0 if short else int(place * (visible.size - 1))]
        style = {"ha": "right"} if short else {}
        _write(axes, float(n[at]), float(values[at]), _NAMES[key], **style)
    for key, at in plane.uprights().items():
        top = plane.boundaries()["lambda_c"](at)
        if n[0] < at < n[-1] and top > lam[0]:
            axes.plot([at, at], [lam[0], min(top, lam[-1])], color=INK, linewidth=1.6, ls="--")
            _write(axes, at, lam[0] * 2, _UPRIGHT[key], rotation=90, va="bottom")


def _names(axes: Any, plane: Plane) -> None:
    """Each phase's name at the middle of its points."""
    places: dict[str, list[tuple[float, float]]] = {}
    for point in plane.rows():
        places.setdefault(point["phase"], []).append((point["n"], point["lam"]))
    for phase, points in places.items():
        x, y = np.log(np.array(points)).T
        nearest = np.argmin((x - np.median(x)) ** 2 + (y - np.median(y)) ** 2)
        _write(axes, *points[nearest], phase, size=13, weight="bold")


def _write(axes: Any, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(
        x,
        y,
        text,
        color=INK,
        **{"ha": "center", "va": "center", "size": 8, **style},
        bbox={"facecolor": SURFACE, "alpha": 0.75, "linewidth": 0, "pad": 1.5},
    )
