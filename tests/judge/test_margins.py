"""Margins follow from theory alone."""

from __future__ import annotations

import pytest

from attlas.model import Problem, problem_from
from attlas.solver.solution import Observables
from attlas.verify.claims import Claim, Control, Point, Quantity, commit_margins

RIGHT = problem_from(alpha="0.2", lam="0.01", kappa0="0.5")
WRONG = {name: RIGHT.with_(alpha=i) for i, name in enumerate(("near", "far", "blind"), start=1)}
VALUES = {
    RIGHT: Observables(q=1.0, test_error=1.0),
    WRONG["near"]: Observables(q=1.03, test_error=0.9),
    WRONG["far"]: Observables(q=0.5, test_error=2.0),
    WRONG["blind"]: Observables(q=1.01, test_error=1.0),
}


def claim(*controls: str) -> Claim:
    return Claim(
        id="test",
        title="",
        statement="",
        equation="",
        measurement="",
        points=(Point("here", RIGHT),),
        quantities=(
            Quantity("q", "q", "q", ""),
            Quantity("test_error", "test error", "e", "", cap=0.05),
        ),
        controls=tuple(Control(name, "", lambda _, name=name: WRONG[name]) for name in controls),
        designs={},
    )


def margins(*controls: str, values: dict[Problem, Observables] | None = None):
    one = claim(*controls)
    known = VALUES if values is None else values
    return {margin.quantity: margin for margin in commit_margins(one, one.points, known.get)}


def test_caps_hold_without_controls():
    assert {key: margin.value for key, margin in margins().items()} == {
        "q": 0.02,
        "test_error": 0.05,
    }


def test_half_the_distance_to_the_nearest_control():
    found = margins("near", "far")
    assert found["q"].value == pytest.approx(0.015)
    assert found["test_error"].value == pytest.approx(0.05)
    assert found["q"].distances == pytest.approx({"near": 0.03, "far": -0.5})


def test_a_blind_control_is_listed_and_does_not_shrink_the_margin():
    found = margins("near", "blind")
    assert found["q"].value == pytest.approx(0.015)
    assert found["q"].blind == ("blind",)


def test_a_wrong_theory_without_solution_is_infinitely_far():
    values = {key: value for key, value in VALUES.items() if key != WRONG["far"]}
    found = margins("far", values=values)
    assert found["q"].value == 0.02
    assert found["q"].distances["far"] == float("inf")
