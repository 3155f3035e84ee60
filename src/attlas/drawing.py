"""How a result finds its picture, which is drawn in a room above it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_drawers: list[Callable[..., Any]] = []


def drawn_by(draw: Callable[..., Any]) -> None:
    """Name what draws results: the front door does, before any of them can exist."""
    _drawers[:] = [draw]


def drawing(result: object, **options: Any) -> Any:
    """The picture of a result: a matplotlib figure."""
    (draw,) = _drawers
    return draw(result, **options)
