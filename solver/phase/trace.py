"""Follow a boundary through its plane, with lines as close as its curvature asks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from attlas.solver.phase.boundary import Lines, Near, axes
from attlas.solver.phase.plane import Axis, Plane
from attlas.solver.phase.row import Crossing, Row

#: Most lines that a boundary starts with, and halvings of the space between two of them.
_FIRST = 9
_DEPTH = 10


@dataclass(frozen=True)
class Point:
    """A point of a curve; the exact boundary lies between low and high in the curve's parameter."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A connected piece of a boundary.

    Attributes
    ----------
    boundary : str
    parameter : str
        The parameter that the brackets are in.
    points : tuple of Point
        In order along the piece.
    """

    boundary: str
    parameter: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Traced:
    """A boundary in a plane.

    Attributes
    ----------
    curves : tuple of Curve
    rows : dict from float to Row
        All lines, by their position along the axis that they follow each other on.
    across : str
        ``"x"`` or ``"y"``: the axis that lines are parallel to.
    """

    curves: tuple[Curve, ...]
    rows: dict[float, Row]
    across: str


def trace(plane: Plane, name: str, lines: Lines, tolerance: float) -> Traced:
    """Find a boundary to a tolerance.

    Between two lines the boundary is straight within ``tolerance``, a share of the plane's
    extent; where it begins or ends within the plane, that place is found as accurately.

    Parameters
    ----------
    plane : Plane
    name : str
        Of the boundary.
    lines : Lines
    tolerance : float
    """
    along, across = axes(plane, lines)
    rows = _refined(lambda u, near: lines.row(along.at(u), tolerance, near), across, tolerance)
    curves = tuple(
        Curve(name, across.name, tuple(_point(lines, along, place) for place in path))
        for path in _paths(rows, across, tolerance)
    )
    return Traced(curves, rows, lines.across)


#: A crossing and the position of its line.
_Place = tuple[float, Crossing]


def _point(lines: Lines, along: Axis, place: _Place) -> Point:
    position, crossing = place
    pair = (crossing.value, along.at(position))
    x, y = pair if lines.across == "x" else pair[::-1]
    return Point(x, y, crossing.low, crossing.high)


def _refined(row: Callable[[float, Near], Row], across: Axis, tolerance: float) -> dict[float, Row]:
    # A curve of unit curvature is straight within the tolerance over sqrt(8 tolerance).
    count = min(max(3, 1 + math.ceil((8 * tolerance) ** -0.5)), _FIRST)
    first = [index / (count - 1) for index in range(count)]
    rows = {position: row(position, ()) for position in first}
    waiting = [(left, right, 0) for left, right in pairwise(first)]
    while waiting:
        left, right, depth = waiting.pop()
        before, after = rows[left], rows[right]
        apart = len(before.crossings) != len(after.crossings) or before.side != after.side
        if depth == _DEPTH or (apart and right - left < tolerance):
            continue
        if not apart and not before.crossings:
            continue
        middle = (left + right) / 2
        rows[middle] = row(middle, () if apart else _expected(before, after, across))
        if apart or _bend(before, rows[middle], after, across) > tolerance:
            waiting += [(left, middle, depth + 1), (middle, right, depth + 1)]
    return dict(sorted(rows.items()))


def _expected(before: Row, after: Row, across: Axis) -> Near:
    """Where crossings half way between two lines would be if the boundary were straight."""
    return tuple(
        (across.unit(a.value) + across.unit(b.value)) / 2
        for a, b in zip(before.crossings, after.crossings, strict=True)
    )


def _bend(before: Row, here: Row, after: Row, across: Axis) -> float:
    """How far the middle line's crossings are from the straight lines between its neighbours'."""
    if len(here.crossings) != len(before.crossings):
        return 1.0
    expected = _expected(before, after, across)
    return max(
        abs(across.unit(at.value) - position)
        for at, position in zip(here.crossings, expected, strict=True)
    )


def _paths(rows: dict[float, Row], across: Axis, tolerance: float) -> list[list[_Place]]:
    """Crossings of neighbouring lines joined to paths, and ends that meet at a fold joined."""
    links: dict[tuple[float, int], list[tuple[float, int]]] = {
        (position, index): []
        for position, row in rows.items()
        for index in range(len(row.crossings))
    }

    def join(one: tuple[float, int], other: tuple[float, int]) -> None:
        links[one].append(other)
        links[other].append(one)

    for (left, before), (right, after) in pairwise(rows.items()):
        pairs = _matched(before, after, across)
        for i, j in pairs:
            join((left, i), (right, j))
        for position, row, used in (
            (left, before, {i for i, _ in pairs}),
            (right, after, {j for _, j in pairs}),
        ):
            ends = [index for index in range(len(row.crossings)) if index not in used]
            for i, j in zip(ends[::2], ends[1::2], strict=False):
                gap = across.unit(row.crossings[j].value) - across.unit(row.crossings[i].value)
                if j == i + 1 and gap < 0.1 and right - left < tolerance:
                    join((position, i), (position, j))
    return [[(key[0], rows[key[0]].crossings[key[1]]) for key in path] for path in _walks(links)]


def _matched(before: Row, after: Row, across: Axis) -> list[tuple[int, int]]:
    """Pairs of crossings that continue each other: in order, as near as the counts allow."""
    few, many = sorted((before, after), key=lambda row: len(row.crossings))
    taken: list[int] = []
    for index, crossing in enumerate(few.crossings):
        start = taken[-1] + 1 if taken else 0
        stop = len(many.crossings) - (len(few.crossings) - index - 1)
        here = across.unit(crossing.value)
        taken.append(
            min(
                range(start, stop),
                key=lambda j: abs(across.unit(many.crossings[j].value) - here),
            )
        )
    pairs = list(enumerate(taken))
    return pairs if few is before else [(j, i) for i, j in pairs]


def _walks(
    links: dict[tuple[float, int], list[tuple[float, int]]],
) -> list[list[tuple[float, int]]]:
    """The maximal paths of a graph in which no node has more than two neighbours."""
    left = dict.fromkeys(links)
    paths = []
    # Ends first; what then remains are loops.
    for start in sorted(links, key=lambda node: len(links[node])):
        if start not in left:
            continue
        path = [start]
        del left[start]
        while True:
            following = next((node for node in links[path[-1]] if node in left), None)
            if following is None:
                break
            path.append(following)
            del left[following]
        if len(path) > 1:
            if len(path) > 2 and start in links[path[-1]]:
                path.append(start)
            paths.append(path)
    return paths
