"""Thresholds of untied heads, and their derivations."""

from __future__ import annotations

import pytest

from attlas import Atoms, BadInput, LinearChannel, Problem, Product, Untied, solve, threshold
from attlas.solver.thresholds.flat import threshold_from
from attlas.symbolic.derive import derivation_of, derive

#: theory.md section 19.
RECOVERY = {"0.1": "0.351144284530", "0.3": "0.725254951468", "0.5": "0.905417333232"}


@pytest.mark.parametrize("kappa0", RECOVERY)
def test_perfect_recovery_is_proven_to_thirty_digits(kappa0):
    found = threshold_from(
        "perfect-recovery", {"training": "untied", "kappa0": kappa0}, digits=30, certify=True
    )
    assert found.certified
    assert abs(float(found.alpha_times_D or "nan") - float(RECOVERY[kappa0])) < 1e-12
    assert 2 * float(found.alpha or "nan") == pytest.approx(float(found.alpha_times_D or "nan"))
    # More data than parameters of a map of that rank, fewer than its entries.
    counted = 2 * float(kappa0) - float(kappa0) ** 2
    assert counted < float(found.alpha_times_D or "nan") < 1


def test_both_sides_of_recovery_are_what_the_ridgeless_solver_finds():
    edge = float(RECOVERY["0.5"])

    def problem(alpha: float) -> Problem:
        return Problem(
            alpha=alpha, target=Product("1/2"), channel=LinearChannel(), estimator=Untied(lam=0)
        )

    assert solve(problem(edge + 0.01)).mse == 0
    low_rank = Atoms([2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # at kappa0 = 3/8
    assert solve(problem(0.9).with_(target=low_rank)).mse == 0
    near = [solve(problem(edge - gap)).mse for gap in (0.02, 0.01)]
    assert 0 < near[1] < near[0]
    assert near[0] / near[1] == pytest.approx(4, rel=0.1)  # it vanishes quadratically


def test_full_rank_and_interpolation_need_one_label_for_every_entry():
    full = threshold_from(
        "perfect-recovery", {"training": "untied", "kappa0": "1.5", "tokens": "3"}
    )
    assert full.alpha_times_D == "1.00000000000000"
    assert float(full.alpha or "nan") == pytest.approx(1 / 6)
    given = {"training": "untied", "kappa0": "0.5", "noise": "0.3"}
    assert threshold_from("interpolation", given).alpha_times_D == "1.00000000000000"
    assert threshold_from("interpolation", {**given, "noise": "0"}).alpha is None


def test_every_step_is_checked():
    found = derivation_of("perfect-recovery", {"training": "untied"})
    for one in (found, derivation_of("state-evolution", {"training": "untied"})):
        checks = one.run_checks()
        assert len(checks) >= 5
        assert all(outcome.passed for _, outcome in checks)
    shown = derive("perfect-recovery", {"training": "untied", "kappa0": "0.5", "tokens": 2})
    assert "a = 0.90541733323242" in shown
    assert "alpha = a/D = 0.452708666616" in shown


def test_what_holds_of_symmetric_maps_alone_is_refused():
    for name in ("bayes", "bulk-split"):
        with pytest.raises(BadInput, match="training = 'untied'"):
            threshold_from(name, {"training": "untied", "kappa0": "0.5"})
    with pytest.raises(BadInput, match="training = 'untied'"):
        derive("interpolation", {"training": "untied"})
    with pytest.raises(BadInput, match="keys = '2'"):
        threshold_from("perfect-recovery", {"kappa0": "0.5", "keys": "2"})
    collapse = threshold(
        "collapse",
        problem=Problem(
            alpha="0.5",
            target=Product("1/2"),
            channel=LinearChannel(noise="1/2"),
            estimator=Untied(lam=1),
        ),
    )
    assert float(collapse.lam or "nan") > 0
