"""Boundaries whose alpha is a threshold known to all digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from attlas.model import Problem
from attlas.solver.phase.boundary import Absent, Lines, Near
from attlas.solver.phase.plane import Axis, Plane
from attlas.solver.phase.row import Crossing, Row
from attlas.solver.thresholds import threshold

#: Relative rounding of a threshold printed with 15 digits.
_ROUNDING = 5e-15


def threshold_line(plane: Plane, name: str) -> Lines:
    """alpha of a named threshold at each value of the other axis."""

    def alpha(problem: Problem) -> float | None:
        found = threshold(name, problem=problem)
        return None if found.alpha is None else float(found.alpha)

    return explicit_line(plane, alpha)


def explicit_line(plane: Plane, alpha: Callable[[Problem], float | None]) -> Lines:
    """The curve on which alpha is a function of the other parameter; side 0 has less data."""

    def row(along: float, tolerance: float, near: Near) -> Row:  # noqa: ARG001
        return row_at(plane.x, alpha(plane.problem(plane.x.low, along)), _ROUNDING)

    return Lines("x", row)


def row_at(axis: Axis, value: float | None, relative: float) -> Row:
    """The line's crossing at a known value, if it lies within the axis."""
    if value is None:
        return Row((), 0)
    if not axis.low <= value <= axis.high:
        return Row((), int(value < axis.low))
    return Row((Crossing(value, value * (1 - relative), value * (1 + relative)),), 0)


def fixed(plane: Plane, name: str) -> Fraction | None:
    """The value of a parameter that does not vary in the plane."""
    if name in (plane.x.name, plane.y.name):
        return None
    values: Mapping[str, Any] = plane.base
    return Fraction(str(values[name])) if name in values else None


def only_weight_decay(plane: Plane) -> Absent | None:
    """The reason why a threshold of weight decay on a Wishart teacher does not apply, if any."""
    problem = plane.problem(plane.x.low, plane.y.low)
    shape = problem.estimator.shape
    if shape is None or not shape.nuclear:
        return Absent("It is a threshold of factorised training.")
    if problem.target.wishart_ratio is None:
        return Absent("It is known for Wishart targets.")
    if not problem.channel.interpolates:
        return Absent("It is known where a student can fit every label.")
    return None
