"""Claims on tokens: what isotropic theory would say is told apart, and nothing is ignored."""

from __future__ import annotations

import pytest

from attlas.model import Tokens
from attlas.verify.claims import CLAIMS, commit_margins
from attlas.verify.simulation.pairing import limit
from attlas.verify.suite.design import not_asked

NAMES = ("norm-fluctuation", "token-covariance", "normalised-tokens", "correlated-positions")


@pytest.mark.parametrize("name", NAMES)
def test_the_isotropic_theory_is_told_apart_where_the_suite_asks(name: str) -> None:
    claim = CLAIMS[name]
    for point in claim.points_of("full"):
        margins = commit_margins(claim, [point], limit)
        left = not_asked(claim, "full", margins)
        margins = [one for one in margins if (one.point, one.quantity) not in left]
        for control in claim.controls:
            if control.where(point.problem):
                told = [abs(m.distances[control.id]) / m.value for m in margins]
                assert max(told) >= 2, (point.key, control.id)


def test_controls_on_tokens_apply_where_they_are_wrong() -> None:
    for claim in (CLAIMS[name] for name in NAMES):
        isotropic, free, _ = claim.controls
        for point in claim.points:
            assert isotropic.where(point.problem)
            assert isotropic.wrong(point.problem).tokens == Tokens()
            assert free.where(point.problem) == point.problem.tokens.normalised
