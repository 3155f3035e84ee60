"""The phases: pieces of the plane that no dividing boundary crosses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.solver.phase.plane import Axis, Plane
from attlas.solver.phase.row import Row
from attlas.solver.phase.trace import Traced

#: Cells of the plane along each axis that are sorted into regions; labels are placed on them.
_CELLS = 80
#: Share of the plane below which a region is not listed.
_SMALLEST = 0.003


@dataclass(frozen=True)
class Region:
    """A phase.

    Attributes
    ----------
    sides : dict from str to str
        Dividing boundary to the side of it that the region lies on.
    x, y : float
        A point inside, far from its edges.
    share : float
        Share of the plane's area, to about one hundredth.
    """

    sides: dict[str, str]
    x: float
    y: float
    share: float


def regions(
    plane: Plane, traced: Mapping[str, Traced], names: Mapping[str, tuple[str, str]]
) -> tuple[Region, ...]:
    """Split a plane by boundaries, largest region first.

    Parameters
    ----------
    plane : Plane
    traced : mapping
        The dividing boundaries.
    names : mapping
        What the two sides of each are called.
    """
    from scipy import ndimage

    cells = (np.arange(_CELLS) + 0.5) / _CELLS
    code = np.zeros((_CELLS, _CELLS), dtype=int)  # [x, y]
    for bit, found in enumerate(traced.values()):
        code += _sides(plane, found, cells) << bit
    found_regions = []
    for value in np.unique(code):
        pieces: Any = ndimage.label(code == value)
        for piece in range(1, pieces[1] + 1):
            inside = pieces[0] == piece
            share = float(inside.mean())
            if share < _SMALLEST:
                continue
            depth: Any = ndimage.distance_transform_edt(np.pad(inside, 1))
            i, j = np.unravel_index(int(np.argmax(depth[1:-1, 1:-1])), inside.shape)
            sides = {name: names[name][(int(value) >> bit) & 1] for bit, name in enumerate(traced)}
            place = plane.x.at(float(cells[i])), plane.y.at(float(cells[j]))
            found_regions.append(Region(sides, *place, share))
    return tuple(sorted(found_regions, key=lambda region: -region.share))


def _sides(plane: Plane, found: Traced, cells: np.ndarray) -> np.ndarray:
    """Side 0 or 1 of every cell, as [x, y]."""
    across = plane.x if found.across == "x" else plane.y
    columns = []
    for along in cells:
        positions, side = _line(found.rows, float(along), across)
        columns.append((side + np.searchsorted(positions, cells)) % 2)
    sides = np.stack(columns)  # [along, across]
    return sides.T if found.across == "x" else sides


def _line(rows: Mapping[float, Row], along: float, across: Axis) -> tuple[list[float], int]:
    """Positions of the crossings between two known lines, interpolated where they correspond."""
    known = list(rows)
    right = min(max(bisect_right(known, along), 1), len(known) - 1)
    left = right - 1
    before, after = rows[known[left]], rows[known[right]]
    weight = (along - known[left]) / (known[right] - known[left])
    if len(before.crossings) != len(after.crossings) or before.side != after.side:
        nearest = before if weight < 0.5 else after
        return [across.unit(crossing.value) for crossing in nearest.crossings], nearest.side
    pairs = zip(before.crossings, after.crossings, strict=True)
    return [
        (1 - weight) * across.unit(a.value) + weight * across.unit(b.value) for a, b in pairs
    ], before.side
