"""The claims on thresholds: what their positions mean, and what their controls move."""

from __future__ import annotations

from fractions import Fraction

import pytest

from attlas.model import problem_from
from attlas.verify.claims import CLAIMS
from attlas.verify.experiments import small_penalty as small
from attlas.verify.experiments.experiment import experiment_at
from attlas.verify.store.case import Case

RECOVERY, INTERPOLATION, PEAK = (
    CLAIMS[id_] for id_ in ("perfect-recovery", "interpolation", "ridgeless-peak")
)


def linear(alpha, lam, noise="0"):
    return problem_from(alpha=alpha, lam=lam, kappa0="0.5", noise=noise, tokens=1)


def case(one, d=16, index=0):
    return Case(one.points[index].problem, d=d, seed=3, source=one.id)


@pytest.mark.parametrize(
    ("approach", "problem", "threshold", "within"),
    [
        # alpha_perf = 0.42217 at kappa0 = 1/2, alpha_int = 0.30696 at noise 1/2 (theory.md 7).
        (small._RECOVERY, linear("0.4", 0), 0.42217, 0.005),
        (small._RECOVERY, linear("0.3", 0), 0.42217, 0.03),
        (small._ABOVE, linear("0.35", "1e-3", "0.5"), 0.30696, 0.05),
        # Below, the root bends towards the threshold: the line through 0.8 of the data overshoots.
        (small._BELOW, linear("0.29", "1e-5", "0.5"), 0.30696, 0.08),
    ],
)
def test_the_line_of_the_theory_vanishes_near_the_threshold(approach, problem, threshold, within):
    error = getattr(small._limit(problem), approach.key)
    d = 200
    assert approach.position(problem, d, error) == pytest.approx(threshold, rel=within)
    # An error bar moves the position by no more than it says.
    bar = approach.bar(problem, d, error, 1e-3 * error)
    moved = approach.position(problem, d, 1.001 * error) - approach.position(problem, d, error)
    assert 0 < abs(moved) <= bar


def test_a_run_with_more_error_puts_recovery_at_more_data():
    problem = linear("0.3", "0.005")
    positions = [small._RECOVERY.position(problem, 40, mse) for mse in (0.1, 0.2, 0.4)]
    assert positions == sorted(positions)
    assert positions[2] - 0.3 == pytest.approx(2 * (positions[0] - 0.3), rel=1e-12)


def test_sides_of_the_threshold():
    assert small._side(case(INTERPOLATION, index=0)) is small._BELOW
    assert small._side(case(INTERPOLATION, index=1)) is small._ABOVE
    assert small._side(case(INTERPOLATION, index=2)) is small._BELOW


def test_factors_of_the_controls():
    assert small._factor(case(RECOVERY), RECOVERY.control("threshold-shifted")) == Fraction(23, 20)
    factor = small._factor(case(RECOVERY), RECOVERY.control("bayes-threshold"))
    assert float(factor) == pytest.approx(0.4221749821855057 / 0.375, rel=1e-6)


def test_controls_move_what_is_compared_beyond_its_band():
    for one, key, least in ((RECOVERY, "position", 0.08), (PEAK, "train_error_smaller", 0.5)):
        experiment = experiment_at(one.experiment)
        made = experiment.measure(case(one))
        assert made.converged
        assert set(made.measured) == {quantity.key for quantity in one.quantities}
        for control in one.controls:
            wrong = experiment.wrong(case(one), control)
            assert abs(wrong[key] / made.reference[key] - 1) > least


def test_training_error_falls_by_the_square_of_the_penalty_only_below():
    experiment = experiment_at(INTERPOLATION.experiment)
    below, above = (experiment.measure(case(INTERPOLATION, 24, index)) for index in (0, 1))
    for falls in (below.measured["fall"], below.reference["fall"]):
        assert 1 / 64 < falls < 0.05
    assert above.reference["fall"] > 0.5
    assert above.measured["fall"] > 10 * below.measured["fall"]


@pytest.mark.parametrize("one", [RECOVERY, INTERPOLATION, PEAK], ids=lambda one: one.id)
def test_suites_of_the_claims(one):
    assert {*one.designs, *one.absent} == {"standard", "full"}
    assert all(point.key in one.designs["full"].points for point in one.points)
    # The standard design keeps to the linear channel, where a run takes a second.
    asked = one.points_of("standard") if "standard" in one.designs else ()
    assert all(point.problem.channel.name == "linear" for point in asked)
