"""Figures that are files of their own: real colours, SVG or PNG by the file's name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.model.files import whole_file, writable_file
from attlas.reports.figures.plot_style import plot_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, GRID, SURFACE = "#1b1f24", "#5a6470", "#e3e7ec", "#ffffff"
#: Okabe and Ito's palette, darkened to be read on white.
BLUE, ORANGE, GREEN, PURPLE, VIOLET, OLIVE = (
    "#0067a8",
    "#c04f00",
    "#007a5a",
    "#a2437e",
    "#6a4fb3",
    "#7a6a00",
)

_STYLE = {
    **plot_style(INK, MUTED, GRID),
    "svg.hashsalt": "attlas",
    "legend.frameon": False,
    "figure.facecolor": SURFACE,
}
_SUFFIXES = (".svg", ".png")


@contextmanager
def sheet(
    width: float, height: float, widths: Sequence[float] = (1.0,), rows: int = 1
) -> Iterator[Any]:
    """A figure with axes side by side, ``widths`` their relative widths: (figure, list of axes).

    Of several rows the list holds one after the other.
    """
    import matplotlib as mpl

    from attlas.reports.figures.shown import ShownFigure

    with mpl.rc_context(_STYLE):
        figure = ShownFigure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(
            rows, len(widths), squeeze=False, gridspec_kw={"width_ratios": list(widths)}
        )
        yield figure, list(grid.ravel())


def require_picture(flag: str, path: str | Path) -> Path:
    """A path that :func:`save` can write; checked before anything long is run.

    Raises
    ------
    BadInput
        For another suffix than .svg or .png, or a folder that cannot be written into.
    """
    return writable_file(flag, path, _SUFFIXES)


def save(figure: Figure, path: Path) -> None:
    """Write the figure, whole or not at all."""
    import matplotlib as mpl

    kind = path.suffix.lower()[1:]
    metadata = {"Date": None} if kind == "svg" else {}
    with mpl.rc_context(_STYLE), whole_file(path) as stream:
        figure.savefig(stream, format=kind, dpi=160, metadata=metadata)
