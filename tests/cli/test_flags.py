"""The flags are the model's parameters, and one short form."""

from __future__ import annotations

import dataclasses

from cli.flags import ProblemFlags
from model import PARAMETERS, parameters_of, problem_from


def test_one_flag_per_parameter() -> None:
    names = [field.name for field in dataclasses.fields(ProblemFlags)]
    assert names == [*(parameter.name for parameter in PARAMETERS), "width_limited"]


def test_width_limited_is_short_for_a_training() -> None:
    assert ProblemFlags(lam="0.1", width_limited=True).given() == {
        "lam": "0.1",
        "training": "width-limited",
    }


def test_flags_describe_the_same_problem() -> None:
    flags = ProblemFlags(alpha="1/3", lam="0.1", kappa0="0.5", tokens="3", noise="0.2")
    assert flags.problem() == problem_from(
        alpha="1/3", lam="0.1", kappa0="0.5", tokens=3, noise="0.2"
    )
    assert parameters_of(flags.problem())["alpha"] == "1/3"
