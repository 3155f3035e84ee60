"""What a boundary between phases is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from attlas.solver.phase.plane import Axis, Plane
from attlas.solver.phase.row import Row

#: Positions along a line where crossings are expected.
Near = tuple[float, ...]


@dataclass(frozen=True)
class Lines:
    """How a boundary is found in a plane: line by line, parallel to one of its axes.

    Attributes
    ----------
    across : {"x", "y"}
        The axis that the lines are parallel to; brackets are in its parameter.
    row : callable
        Takes the value of the other axis, a tolerance (a share of the axis) and the positions where
        neighbouring lines let crossings be expected (none on the first lines) to the crossings.
    divides : bool
        Whether the boundary has different phases on its two sides here.
    """

    across: Literal["x", "y"]
    row: Callable[[float, float, Near], Row]
    divides: bool = True


@dataclass(frozen=True)
class Absent:
    """Why a boundary does not exist for a problem."""

    reason: str


@dataclass(frozen=True)
class Boundary:
    """A boundary and the planes where it exists.

    Attributes
    ----------
    name : str
        On the command line.
    label : str
        In a figure.
    statement : str
        What happens there, in words.
    planes : mapping
        Name of a plane to the condition, in words, under which the boundary is a curve in it.
    sides : (str, str)
        What the two sides are called.
    lines : callable
        How to find it in a plane, or why it is not there.
    limit : bool
        Whether it is one of the limit lam -> 0+, whatever the plane's lam.
    """

    name: str
    label: str
    statement: str
    planes: Mapping[str, str]
    sides: tuple[str, str]
    lines: Callable[[Plane], Lines | Absent]
    limit: bool = False


def axes(plane: Plane, lines: Lines) -> tuple[Axis, Axis]:
    """(the axis along which lines follow each other, the axis that they are parallel to)."""
    return (plane.y, plane.x) if lines.across == "x" else (plane.x, plane.y)
