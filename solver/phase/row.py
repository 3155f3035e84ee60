"""Where a boundary crosses a line through the plane."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    """A point of a boundary on a line parallel to an axis.

    Attributes
    ----------
    value : float
        Of the parameter that varies along the line.
    low, high : float
        Bracket that holds the exact crossing.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """All crossings of one line, increasing, and the side of the boundary at its low end.

    Attributes
    ----------
    crossings : tuple of Crossing
    side : {0, 1}
        Which of the boundary's two sides the low end of the line is on; sides alternate at
        crossings.
    """

    crossings: tuple[Crossing, ...]
    side: int
