"""The power-law target."""

from __future__ import annotations

import pytest

from attlas.model import BadInput, PowerLaw
from attlas.model.targets import target_from


def test_eigenvalues_follow_the_power():
    target = PowerLaw("1.25", 100)
    assert target.eigenvalues[0] == pytest.approx(10)
    assert target.eigenvalues[9] == pytest.approx(10 * 10**-1.25)
    assert sum(s * s for s in target.eigenvalues) / 100 == pytest.approx(
        sum(i**-2.5 for i in range(1, 101))
    )


def test_second_moment_can_be_chosen():
    eigenvalues = PowerLaw(1, 50, q0="1/2").eigenvalues
    assert sum(s * s for s in eigenvalues) / 50 == pytest.approx(0.5)


@pytest.mark.parametrize("text", ["power-law:gamma=1.25,d=400", "power-law:gamma=4/3,d=20,q0=1"])
def test_grammar_round_trips(text):
    assert target_from(text).grammar() == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("power-law:gamma=0.5,d=10", "greater than 1/2"),
        ("power-law:gamma=1.25", "d is required"),
        ("power-law:gamma=1,d=1", "2 or more"),
        ("power-law:gama=1,d=10", "gamma"),
    ],
)
def test_bad_power_laws(text, reason):
    with pytest.raises(BadInput, match=reason):
        target_from(text)
