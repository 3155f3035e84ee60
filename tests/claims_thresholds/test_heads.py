"""Claims on heads with more than two tokens, on narrow students, and on the Bayes floor."""

from __future__ import annotations

import pytest

from attlas.verify.claims import claim
from attlas.verify.experiments.experiment import experiment_at
from attlas.verify.store.case import Case


def made(id_, point, d, seed=0):
    of = claim(id_)
    (problem,) = (p.problem for p in of.points if p.key == point)
    case, experiment = Case(problem, d=d, seed=seed), experiment_at(of.experiment)
    wrong = {c.id: experiment.wrong(case, c) for c in of.controls if c.where(problem)}
    return of, experiment.measure(case), wrong


@pytest.mark.parametrize(
    ("id_", "point", "d", "controls"),
    [
        ("many-tokens", "three tokens", 16, {"noise-halved", "two-tokens"}),
        ("width-limited", "softmax, a fifth of the rank", 20, {"width-ignored"}),
        ("bayes-floor", "linear, noisy labels", 20, {"noise-halved"}),
        ("bayes-floor", "softmax", 20, {"all-scores-seen"}),
    ],
)
def test_run_theory_and_controls_name_the_same_quantities(id_, point, d, controls):
    of, measurement, wrong = made(id_, point, d)
    keys = {quantity.key for quantity in of.quantities}
    assert measurement.converged
    assert keys <= set(measurement.measured) & set(measurement.reference)
    assert set(wrong) == controls
    for control, values in wrong.items():
        far = [abs(values[key] / measurement.reference[key] - 1) for key in keys]
        assert max(far) > 0.04, control
    for key in keys:
        # One small head: it is near the theory, no more.
        assert measurement.measured[key] == pytest.approx(measurement.reference[key], rel=0.6)
        assert measurement.reference_error[key] < 0.02 * measurement.reference[key]


def test_a_narrow_student_is_at_the_lower_of_its_minima():
    from attlas.verify.simulation.case_run import run_of

    _, measurement, _ = made("width-limited", "softmax, a fifth of the rank", 16, seed=1)
    of = claim("width-limited")
    case = Case(of.points[0].problem, d=16, seed=1)
    losses = [
        run_of(case, initialisation=start).observables.loss for start in ("large", "low-rank")
    ]
    assert measurement.measured["loss"] == pytest.approx(min(losses), rel=1e-9)  # type: ignore[type-var]
