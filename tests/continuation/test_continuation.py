"""Continuation on maps whose folds and transitions are known, and on state evolution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from attlas.model import BadInput, problem_from
from attlas.solver import solve
from attlas.solver.continuation import all_branches, branches_along, corrected, follow, transitions
from attlas.solver.continuation.along import _row
from attlas.solver.fixed_point import Array
from attlas.solver.solution import Observables, Solution

#: The fold of x^3 - x = t.
FOLD = 2 / (3 * math.sqrt(3))


@dataclass(frozen=True)
class Cubic:
    """Stationary points of x^4/4 - x^2/2 - (t - shift) x: three between two folds."""

    shift: float = 0.0

    def step(self, x: Array, t: float) -> Array:
        return x - 0.3 * (x**3 - x - (t - self.shift))

    def energy(self, x: Array, t: float) -> float:
        at = float(x[0])
        return at**4 / 4 - at**2 / 2 - (t - self.shift) * at


@dataclass(frozen=True)
class Rotated:
    """The cubic in the first of two unknowns that are mixed by a rotation."""

    angle: float = 0.7

    def _turn(self) -> Array:
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.array([[c, -s], [s, c]])

    def step(self, x: Array, t: float) -> Array:
        u, v = self._turn() @ x
        moved = np.array([u - 0.3 * (u**3 - u - t), 0.5 * v + 0.1 * u])
        return self._turn().T @ moved

    def energy(self, x: Array, t: float) -> float:
        return Cubic().energy(self._turn() @ x, t)


@pytest.mark.parametrize("family", [Cubic(), Rotated()])
def test_one_curve_passes_both_folds(family):
    x = np.full(2 if isinstance(family, Rotated) else 1, -1.0)
    for _ in range(50):
        x = family.step(x, -1.0)
    start = corrected(family, x, -1.0)
    assert start is not None
    curve = follow(family, start, -1.0, 1.0)
    assert curve.complete
    assert len(curve.branches()) == 3
    assert sorted(fold.t for fold in curve.folds) == pytest.approx([-FOLD, FOLD], abs=1e-9)
    for fold in curve.folds:
        assert fold.low <= math.copysign(FOLD, fold.t) <= fold.high
        assert fold.high - fold.low < 1e-4
    for point in curve.points:
        assert np.max(np.abs(family.step(point.x, point.t) - point.x)) < 1e-8


def test_transition_is_where_free_energies_are_equal():
    family = Cubic(shift=0.123)
    values = [-1.0, -0.5, 0.1, 0.6, 1.0]

    def starts(t: float) -> list[Array]:
        found = [corrected(family, np.array([x]), t) for x in (-1.5, 1.5)]
        return [point.x for point in found if point is not None]

    branches, folds, complete = all_branches(family, starts, values)
    assert complete
    assert len(branches) == 3
    found = transitions(family, branches, folds)
    (first_order,) = [one for one in found if one.kind == "first-order"]
    assert first_order.location == pytest.approx(0.123, abs=1e-7)
    assert first_order.bracket[0] <= 0.123 <= first_order.bracket[1]
    spinodals = [one for one in found if one.kind == "spinodal"]
    assert [one.location for one in spinodals] == pytest.approx([0.123 - FOLD, 0.123 + FOLD])
    assert all(len(one.branches) == 2 for one in spinodals)


def test_a_map_without_folds_has_no_transitions():
    class Straight:
        def step(self, x: Array, t: float) -> Array:
            return 0.5 * x + t

        def energy(self, x: Array, t: float) -> float:  # noqa: ARG002
            return float(t)

    branches, folds, complete = all_branches(
        Straight(), lambda t: [np.array([2 * t])], [0.0, 0.5, 1.0]
    )
    assert complete
    assert len(branches) == 1
    assert transitions(Straight(), branches, folds) == ()


@pytest.mark.parametrize("parameter", ["alpha", "lam"])
def test_the_linear_channel_has_one_branch_that_agrees_with_solve(parameter):
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", noise="0.1", tokens=1)
    along = branches_along(problem, parameter, ["0.1", "0.2", "0.4"])
    rows = along.table.to_pylist()
    assert along.complete
    assert along.transitions == ()
    assert [row[parameter] for row in rows] == [0.1, 0.2, 0.4]
    assert all(row["lowest"] and row["stable"] for row in rows)
    flat = {"alpha": "0.3", "lam": "0.1", parameter: "0.2"}
    single = solve(problem_from(**flat, kappa0="0.5", noise="0.1", tokens=1))
    assert rows[1]["q"] == pytest.approx(single.q, abs=rows[1]["error_q"] + single.error.q)
    assert rows[1]["loss"] == pytest.approx(single.loss, abs=rows[1]["error_loss"] + 1e-9)


@pytest.mark.parametrize(
    ("parameter", "values", "changes"),
    [
        ("alfa", [0.1, 0.2], {}),
        ("alpha", [0.2, 0.1], {}),
        ("alpha", [0.1], {}),
        ("alpha", [0.1, 0.2], {"lam": "0"}),
        ("alpha", [0.1, 0.2], {"lam": None, "training": "bayes"}),
    ],
)
def test_bad_input(parameter, values, changes):
    flat = {"alpha": "0.3", "lam": "0.1", "kappa0": "0.5", "noise": "0.1", "tokens": 1}
    with pytest.raises(BadInput):
        branches_along(problem_from(**{**flat, **changes}), parameter, values)


@pytest.mark.parametrize(("replicon", "stable"), [(0.9, True), (1.1, False), (None, None)])
def test_a_branch_is_stable_below_a_replicon_of_one(replicon, stable):
    assert _row(Solution.of(Observables(replicon=replicon)))["stable"] is stable
