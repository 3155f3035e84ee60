"""Fixed points that depend on a parameter, and Newton's method at a given value of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from attlas.solver.fixed_point import Array, LeftDomain

#: Step of the differences, Newton's target and the most steps it takes.
_WIDTH = 1e-6
TOLERANCE = 1e-11
NEWTON = 8
#: A residual that Newton's method no longer lowers is accepted up to this.
STALLED = 1e-8


class Family(Protocol):
    """Fixed-point problems that depend smoothly on one parameter t."""

    def step(self, x: Array, t: float) -> Array:
        """The map whose fixed points are followed; may raise :class:`LeftDomain`."""
        ...

    def energy(self, x: Array, t: float) -> float:
        """The free energy of a fixed point: the lowest is the stable phase."""
        ...


@dataclass(frozen=True)
class Point:
    """A fixed point at a value of the parameter, with its recomputed residual."""

    x: Array
    t: float
    residual: float


def corrected(family: Family, x: Array, t: float) -> Point | None:
    """The fixed point at t near x by Newton's method, or None."""
    value = family.step(x, t) - x
    for _ in range(NEWTON):
        if size(value) <= TOLERANCE:
            break
        try:
            change = np.linalg.solve(jacobian(family, x, t, value)[:, :-1], -value)
            following = x + change * min(1.0, 0.5 / size(change))
            moved = family.step(following, t) - following
        except (LeftDomain, np.linalg.LinAlgError):
            return None
        if size(moved) >= size(value):
            break
        x, value = following, moved
    return Point(x, t, size(value)) if size(value) <= STALLED else None


def jacobian(family: Family, x: Array, t: float, value: Array) -> Array:
    """Derivative of map(x; t) - x in x and t, with t last."""
    columns = []
    for index in range(x.size):
        shifted = x.copy()
        shifted[index] += _WIDTH
        columns.append((family.step(shifted, t) - shifted - value) / _WIDTH)
    columns.append((family.step(x, t + _WIDTH) - x - value) / _WIDTH)
    return np.stack(columns, axis=1)


def size(vector: NDArray[np.floating]) -> float:
    """The largest component."""
    return float(np.max(np.abs(vector)))
