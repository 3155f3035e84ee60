"""The flags are the model's parameters, and one short form."""

from __future__ import annotations

import dataclasses

import pytest

from attlas.cli.flags import ProblemFlags
from attlas.model import PARAMETERS, BadInput, parameters_of, problem_from


def test_one_flag_per_parameter() -> None:
    names = [field.name for field in dataclasses.fields(ProblemFlags)]
    assert names == [*(parameter.name for parameter in PARAMETERS), "width_limited"]


def test_width_limited_is_short_for_a_training() -> None:
    assert ProblemFlags(lam="0.1", width_limited=True).given() == {
        "lam": "0.1",
        "training": "width-limited",
    }


@pytest.mark.parametrize("several", ["0.1,0.2", "0.1:1:10:log"])
def test_several_values_where_one_is_meant_point_to_the_sweep(several: str) -> None:
    with pytest.raises(BadInput, match="must be one value; attlas sweep takes several"):
        ProblemFlags(alpha=several, lam="0.1", kappa0="0.5").problem()
    listed = ProblemFlags(alpha="0.1", lam="0.1", target="spiked:spikes=2/1.5,d=200")
    assert listed.problem().target.dimension == 200


def test_flags_describe_the_same_problem() -> None:
    flags = ProblemFlags(alpha="1/3", lam="0.1", kappa0="0.5", tokens="3", noise="0.2")
    assert flags.problem() == problem_from(
        alpha="1/3", lam="0.1", kappa0="0.5", tokens=3, noise="0.2"
    )
    assert parameters_of(flags.problem())["alpha"] == "1/3"
