"""A suite asks what its runs decide, and the scatter of earlier runs foretells what that is."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from attlas.verify.claims import CLAIMS, Design
from attlas.verify.claims.claim import LeftOut
from attlas.verify.judgement import LEVEL, extrapolate
from attlas.verify.judgement.equivalence import band_test
from attlas.verify.suite import design
from attlas.verify.suite.design import RANK, Scatter, not_asked
from attlas.verify.suite.suites import SUITES

CLAIM = CLAIMS["learning-curve"]
POINT = CLAIM.points[1].key
RUNS = {20: 10, 32: 10, 48: 10}


def margins(claim: Any = CLAIM, value: float = 0.02) -> list[Any]:
    return [
        SimpleNamespace(point=point, quantity=quantity.key, value=value)
        for point in claim.designs["quick"].points
        for quantity in claim.quantities
    ]


@pytest.mark.parametrize("spread", [0.3, 0.4])
def test_the_chance_is_that_of_runs_that_were_made(spread: float) -> None:
    rng, d = np.random.default_rng(1), np.repeat(list(RUNS), list(RUNS.values()))
    families, agreed = 400, 0
    for _ in range(families):
        found = 0.05 / d + spread / d * rng.standard_normal(d.size)
        fit = extrapolate(d.tolist(), found.tolist())
        test = band_test(fit.intercept, fit.standard_error, fit.dof, -0.02, 0.02, fit.truncation)
        agreed += test.p_inside <= LEVEL / RANK
    chance = Scatter(spread, 0.05).chance(RUNS, 0.02)
    assert 0.1 < chance < 0.99
    assert agreed / families == pytest.approx(chance, abs=0.08)


def test_scatter_does_not_depend_on_the_limit() -> None:
    rng, d = np.random.default_rng(2), np.repeat(list(RUNS), list(RUNS.values()))
    deviations = 0.3 / d + 0.4 / d * rng.standard_normal(d.size)
    here, shifted = (
        Scatter.of(extrapolate(d.tolist(), (deviations + shift).tolist())) for shift in (0.0, 0.05)
    )
    assert shifted.spread == pytest.approx(here.spread, rel=1e-9)
    assert shifted.slope == pytest.approx(here.slope, rel=1e-9)
    assert here.spread == pytest.approx(0.4, rel=0.3)


def test_what_runs_would_not_decide_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {CLAIM.id: {POINT: {"loss": [0.01, 0.0], "q": [9.0, 0.0], "m": [0.01, 4000.0]}}}
    monkeypatch.setattr(design, "_scatter", lambda: known)
    quick = Design((POINT,), RUNS, left_out=(LeftOut("Why.", ("test_error",)),))
    claim = replace(CLAIM, designs={"quick": quick})
    found = not_asked(claim, "quick", margins(claim))
    assert {quantity for _, quantity in found} == {"q", "m", "test_error"}
    assert found[POINT, "test_error"] == "Why."
    many = Design((POINT,), dict.fromkeys(RUNS, 90_000))
    assert (POINT, "q") not in not_asked(
        replace(claim, designs={"quick": many}), "quick", margins(claim)
    )


def test_a_point_that_is_not_run_is_named_with_its_reason() -> None:
    other = CLAIM.points[-1].key
    quick = Design((POINT,), RUNS, left_out=(LeftOut("Elsewhere.", points=(other,)),))
    found = not_asked(replace(CLAIM, designs={"quick": quick}), "quick", [])
    assert found == {(other, quantity.key): "Elsewhere." for quantity in CLAIM.quantities}


def test_every_claim_of_a_suite_asks_something_and_what_is_left_out_exists() -> None:
    for claim in CLAIMS.values():
        assert set(claim.absent) <= set(SUITES) - set(claim.designs)
        for one in claim.designs.values():
            for left in one.left_out:
                assert set(left.points) <= {point.key for point in claim.points}
                assert set(left.quantities) <= {quantity.key for quantity in claim.quantities}
    known = design._scatter()
    assert set(known) <= set(CLAIMS)
    for name, points in known.items():
        assert set(points) <= {point.key for point in CLAIMS[name].points}
