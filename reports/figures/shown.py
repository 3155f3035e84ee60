"""Figures that a notebook shows where they are the last value of a cell."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DOTS = 110


class ShownAxes(Axes):
    """Axes that show the figure they are part of."""

    def _repr_png_(self) -> bytes:
        return _png(self.get_figure(root=True))


class ShownFigure(Figure):
    """A figure that no backend keeps: it shows itself, with or without ``%matplotlib inline``."""

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        kinds = {"projection", "polar", "axes_class"}
        return super().add_subplot(*args, **({} if kinds & set(kwargs) else _AXES), **kwargs)

    def _repr_png_(self) -> bytes:
        return _png(self)


_AXES = {"axes_class": ShownAxes}


def _png(figure: Any) -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=_DOTS)
    return stream.getvalue()
