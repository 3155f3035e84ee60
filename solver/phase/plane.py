"""Two parameters of a problem that span a diagram, and the problem at each point of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attlas.model import BadInput, Problem, parameters_of, problem_from
from attlas.model.axis import axis_values
from attlas.model.errors import unknown_name
from attlas.solver.solution import Solution
from attlas.solver.solve import solve

if TYPE_CHECKING:
    import pyarrow

#: Planes in which boundaries are known, and the axes that are drawn unless others are given.
PLANES: dict[str, tuple[str, str]] = {
    "alpha,kappa0": ("0.02:0.6:24", "0.05:1.2:24"),
    "alpha,noise": ("0.02:0.6:24", "0.01:4:24:log"),
    "alpha,lam": ("0.02:2:24:log", "0.001:1:24:log"),
    "alpha,k": ("0.05:2:24:log", "-2:6:24"),
    "alpha,rho": ("0.05:2:24:log", "0:0.9:24"),
}

#: Axes that are a number within the text of a flat parameter.
_WITHIN = {"k": ("tokens_law", "kurtosis:k={}"), "rho": ("token_covariance", "ar1:rho={}")}

#: Relative accuracy of the solves behind a boundary; their error bars widen its brackets.
_RTOL = 1e-5


@dataclass(frozen=True)
class Axis:
    """A parameter and the range of it that a diagram shows.

    Attributes
    ----------
    name : str
    values : tuple of Fraction
        Increasing; the grid of a map. The first and the last bound the diagram.
    log : bool
        Whether lengths are measured in its logarithm.
    """

    name: str
    values: tuple[Fraction, ...]
    log: bool

    @classmethod
    def read(cls, parameter: str, name: str, text: str) -> Axis:
        """Read a range as the command line writes it, such as ``0.05:0.6:40`` or ``...:log``.

        Raises
        ------
        BadInput
            If the text is not a list or range of at least two increasing values.
        """
        values = tuple(axis_values(parameter, text))
        if len(values) < 2 or any(b <= a for a, b in pairwise(values)):
            raise BadInput(
                parameter, text, "must be a range of increasing values such as 0.05:0.6:40"
            )
        return cls(name, values, text.endswith(":log"))

    @property
    def low(self) -> float:
        return float(self.values[0])

    @property
    def high(self) -> float:
        return float(self.values[-1])

    def unit(self, value: float) -> float:
        """Position along the axis: 0 at its low end, 1 at its high end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def at(self, position: float) -> float:
        """The value at a position."""
        if position in (0, 1):
            return self.high if position else self.low
        if self.log:
            return self.low * (self.high / self.low) ** position
        return self.low + (self.high - self.low) * position


@dataclass(frozen=True)
class Plane:
    """A rectangle in the space of problems.

    Attributes
    ----------
    name : str
        A key of :data:`PLANES`.
    x, y : Axis
    base : mapping
        Flat parameters that do not vary.
    solutions : dict
        Solutions found so far, by point; shared by all boundaries.
    """

    name: str
    x: Axis
    y: Axis
    base: Mapping[str, Any]
    solutions: dict[Problem, Solution | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, problem: Problem, name: str, x: str | None, y: str | None) -> Plane:
        """The plane through a problem.

        Raises
        ------
        BadInput
            For an unknown plane, a bad range, or a problem that lacks the parameter of an axis.
        """
        if name not in PLANES:
            raise unknown_name("plane", name, PLANES)
        names = name.split(",")
        flat: dict[str, Any] = dict(parameters_of(problem))
        for axis in names:
            if axis not in flat and axis not in _WITHIN:
                raise BadInput("plane", name, f"this problem has no parameter {axis}")
        axes = [
            Axis.read(parameter, axis, text or default)
            for parameter, axis, text, default in zip(
                ("x", "y"), names, (x, y), PLANES[name], strict=True
            )
        ]
        varied = {*names, *(_WITHIN[name][0] for name in names if name in _WITHIN)}
        base = {key: value for key, value in flat.items() if key not in varied}
        if "kappa0" in names:
            base.pop("target", None)
        plane = cls(name, axes[0], axes[1], base)
        for across in (axes[1].low, axes[1].high):  # both ends must be problems
            plane.problem(axes[0].low, across)
        return plane

    def problem(self, x: float, y: float) -> Problem:
        """The problem at a point."""
        return problem_from(**self.base, **dict([_flat(self.x.name, x), _flat(self.y.name, y)]))

    def flat_axes(self) -> dict[str, list[Any]]:
        """Values of both axes by the flat parameters that hold them."""
        axes = {}
        for axis in (self.x, self.y):
            pairs = [_flat(axis.name, value) for value in axis.values]
            axes[pairs[0][0]] = [value for _, value in pairs]
        return axes

    def with_axes(self, table: pyarrow.Table) -> pyarrow.Table:
        """A table of problems with a column for each axis that a parameter's text holds."""
        for axis in (self.x, self.y):
            if axis.name in _WITHIN:
                texts = table.column(_WITHIN[axis.name][0]).to_pylist()
                numbers = {_flat(axis.name, value)[1]: float(value) for value in axis.values}
                table = table.append_column(axis.name, [[numbers[text] for text in texts]])
        return table

    def solution(self, problem: Problem) -> Solution | None:
        """The solution of a problem, or None where it was refused or did not converge."""
        if problem not in self.solutions:
            try:
                found = solve(problem, rtol=_RTOL, raise_on_failure=False)
            except BadInput:
                found = None
            usable = found is not None and (found.status.ok or found.status.name == "INACCURATE")
            self.solutions[problem] = found if usable else None
        return self.solutions[problem]

    @property
    def unsolved(self) -> int:
        """Number of problems without a solution."""
        return sum(solution is None for solution in self.solutions.values())


def _flat(name: str, value: Any) -> tuple[str, Any]:
    """An axis's parameter of a problem, and its value."""
    parameter, text = _WITHIN.get(name, (name, ""))
    return parameter, text.format(value) if text else value
