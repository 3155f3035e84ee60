"""All solutions of a problem along one of its parameters, as a table, with the transitions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attlas.model import BadInput, Problem, parameters_of, problem_from
from attlas.model.errors import unknown_name
from attlas.model.exact import positive, several
from attlas.model.names import names_checked
from attlas.solver import branches
from attlas.solver.continuation.family import Point, corrected
from attlas.solver.continuation.follow import Branch
from attlas.solver.continuation.transitions import Transition, all_branches, transitions
from attlas.solver.fixed_point import Array, FixedPoint, derivative
from attlas.solver.solution import OBSERVABLE_KEYS, Solution
from attlas.solver.solve import Aim, polished
from attlas.solver.state_evolution import StateEvolution

if TYPE_CHECKING:
    import pyarrow

#: Parameters that solutions can be followed in.
FOLLOWED = ("alpha", "lam", "noise", "kappa0", "beta0", "beta", "kappa")


@dataclass(frozen=True)
class Along:
    """The answer of :func:`branches_along`.

    Attributes
    ----------
    table : pyarrow.Table
        A row for each value and branch: the parameter, ``branch`` (a number), ``lowest`` (whether
        its free energy is the least there), ``stable`` (replicon below 1), ``status``, all result
        keys and their error bars.
    transitions : tuple of Transition
        Their locations are values of the parameter.
    complete : bool
        Whether every branch was followed to a fold or to the ends of the range.
    """

    table: pyarrow.Table
    transitions: tuple[Transition, ...]
    complete: bool


class StateEvolutionFamily:
    """State evolution along the logarithm t of a parameter, on the coarsest nodes."""

    def __init__(self, problem: Problem, parameter: str) -> None:
        flat: dict[str, Any] = dict(parameters_of(problem))
        if parameter == "kappa0":
            flat.pop("target")
        self._flat, self._parameter = flat, parameter
        self.system = lru_cache(maxsize=64)(self._system)

    def problem(self, value: Any) -> Problem:
        """The problem at a value of the parameter."""
        return problem_from(**{**self._flat, self._parameter: value})

    def _system(self, t: float) -> StateEvolution:
        return StateEvolution.of(self.problem(math.exp(t)))

    def step(self, x: Array, t: float) -> Array:
        return self.system(t).step(x, 0)

    def energy(self, x: Array, t: float) -> float:
        system = self.system(t)
        state = system.state(x)
        return system.free_energy(x, state, system.moments(state.overlaps, 0))


@names_checked
def branches_along(
    problem: Problem,
    parameter: str,
    values: Iterable[Any],
    *,
    rtol: float = 1e-4,
    max_steps: int = 5000,
) -> Along:
    """Follow every solution along a parameter; find folds and exchanges of the free energy.

    Both starts are tried at every value; each solution that no known branch goes through is
    followed over the whole range, around its folds (theory.md section 3).

    Parameters
    ----------
    problem : Problem
        Its value of the parameter is not used.
    parameter : str
        One of :data:`FOLLOWED`.
    values : iterable of numbers > 0
        Increasing, at least two.
    rtol : float
        Relative accuracy of the table's rows.
    max_steps : int
        Evaluations of the map allowed per start.

    Returns
    -------
    Along

    Raises
    ------
    BadInput
        For an unknown parameter, bad values, or a problem that is not solved by iteration.
    """
    if parameter not in FOLLOWED or parameter not in parameters_of(problem):
        raise unknown_name("parameter", parameter, FOLLOWED)
    exact = [positive(parameter, value) for value in several(parameter, values)]
    if len(exact) < 2 or exact != sorted(set(exact)):
        raise BadInput(parameter, str(values), "must be two increasing values or more")
    family = StateEvolutionFamily(problem, parameter)
    first = family.problem(exact[0]).estimator
    if first.penalty is None or first.penalty.vanishes:
        raise BadInput(
            "training" if first.penalty is None else "lam",
            first.name if first.penalty is None else 0,
            "must be a training with a penalty greater than 0",
            "solve returns all branches of this problem",
        )
    ts = [math.log(value) for value in exact]

    def starts(t: float) -> list[Array]:
        found = branches.find_branches(family.system(t), max_steps)
        return [one.point.x for one in found if one.point is not None]

    found, folds, complete = all_branches(family, starts, ts)
    rows: list[dict[str, Any]] = []
    for t, value in zip(ts, exact, strict=True):
        here = []
        for index, branch in enumerate(found):
            point = corrected(family, branch.guess(t), t) if _spans(branch, t) else None
            if point is None:
                continue
            solution = _solution(family, value, t, point, rtol, max_steps)
            here.append({parameter: float(value), "branch": index, **_row(solution)})
        lowest = min((row["loss"] for row in here if row["loss"] is not None), default=None)
        rows += [{**row, "lowest": row["loss"] == lowest} for row in here]
    return Along(
        _table(parameter, rows),
        tuple(
            replace(
                one,
                location=math.exp(one.location),
                bracket=(math.exp(one.bracket[0]), math.exp(one.bracket[1])),
            )
            for one in transitions(family, found, folds)
        ),
        complete,
    )


def _spans(branch: Branch, t: float) -> bool:
    return branch.low <= t <= branch.high


def _solution(
    family: StateEvolutionFamily, value: Any, t: float, point: Point, rtol: float, max_steps: int
) -> Solution:
    system = family.system(t)
    after = system.step(point.x, 0)
    slopes = derivative(lambda x: system.step(x, 0), point.x, after)
    start = branches.Branch("continuation", FixedPoint(point.x, after - point.x, slopes, 1))
    return polished(family.problem(value), system, start, Aim(rtol, rtol, rtol), max_steps)


def _row(solution: Solution) -> dict[str, Any]:
    replicon = solution.replicon
    return {
        "stable": None if replicon is None else bool(replicon < 1),
        "status": solution.status.name.lower(),
        **{key: getattr(solution, key) for key in OBSERVABLE_KEYS},
        **{f"error_{key}": getattr(solution.error, key) for key in OBSERVABLE_KEYS},
    }


def _table(parameter: str, rows: list[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow as pa

    numbers = [*OBSERVABLE_KEYS, *(f"error_{key}" for key in OBSERVABLE_KEYS)]
    types = {
        parameter: pa.float64(),
        "branch": pa.int64(),
        "lowest": pa.bool_(),
        "stable": pa.bool_(),
        "status": pa.string(),
        **{key: pa.float64() for key in numbers},
    }
    used = {name for row in rows for name, value in row.items() if value is not None}
    return pa.table(
        {
            name: pa.array([row.get(name) for row in rows], kind)
            for name, kind in types.items()
            if name in used or name not in numbers
        }
    )
