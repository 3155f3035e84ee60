"""The claims on the roads to the minimum, on one small case each, and their controls."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from attlas.model import problem_from
from attlas.verify.claims import CLAIMS
from attlas.verify.experiments.experiment import experiment_at
from attlas.verify.experiments.nuclear_norm import certified_distance
from attlas.verify.experiments.training import training_of
from attlas.verify.store.case import Case
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.run import run_suite
from attlas.verify.training.factorised import train
from attlas.verify.training.untied import UntiedObjective

WITH_EXPERIMENT = [one for one in CLAIMS.values() if one.experiment]
EXACT = ["nuclear-norm", "untied-factors", "global-minimum"]


def small_case(one, d=12):
    return Case(one.points[0].problem, d=d, seed=1, source=one.id)


@pytest.mark.parametrize("id_", EXACT)
def test_both_roads_end_at_one_objective(id_):
    one = CLAIMS[id_]
    experiment = experiment_at(one.experiment)
    made = experiment.measure(small_case(one))
    assert made.converged
    for quantity in one.quantities:
        deviation = made.measured[quantity.key] / made.reference[quantity.key] - 1
        assert abs(deviation) <= quantity.cap, quantity.key
    for control in one.controls:
        wrong = experiment.wrong(small_case(one), control)
        assert any(
            abs(made.measured[quantity.key] / wrong[quantity.key] - 1) > 0.02
            for quantity in one.quantities
        ), control.id


@pytest.mark.parametrize("one", WITH_EXPERIMENT, ids=lambda one: one.id)
def test_every_quantity_is_measured(one):
    experiment = experiment_at(one.experiment)
    made = experiment.measure(small_case(one))
    keys = {quantity.key for quantity in one.quantities}
    assert keys <= set(made.measured)
    assert keys <= set(made.reference)
    for control in one.controls:
        assert keys <= set(experiment.wrong(small_case(one), control))


def test_the_certified_distance_sees_a_wrong_map():
    _, training = training_of(
        Case(problem_from(alpha="0.3", lam="0.05", kappa0="0.5"), d=10, seed=0)
    )
    right = train(training)
    bound = certified_distance(training, right, right)
    assert bound < 1e-4
    other = train(replace(training, lams=(0.051,)))
    moved = float(((right.s - other.s) ** 2).sum() ** 0.5)
    assert moved > 100 * bound


def test_untied_gradient_is_the_derivative():
    _, training = training_of(
        Case(problem_from(alpha="0.3", lam="0.05", kappa0="0.5"), d=8, seed=0)
    )
    objective = UntiedObjective.of(training.objective())
    generator = torch.Generator().manual_seed(0)
    m, direction = (torch.randn(8, 8, generator=generator).double().numpy() for _ in range(2))
    width = 1e-5
    ahead, back = (objective.value_and_gradient(m + s * width * direction)[0] for s in (1, -1))
    slope = float((objective.value_and_gradient(m)[1] * direction).sum())
    assert slope == pytest.approx((ahead - back) / (2 * width), rel=1e-7)


def test_untied_objective_at_a_symmetric_map_is_the_tied_one():
    _, training = training_of(
        Case(problem_from(alpha="0.3", lam="0.05", kappa0="0.5"), d=8, seed=0)
    )
    tied, untied = training.objective(), UntiedObjective.of(training.objective())
    s = train(training).s
    assert untied.value_and_gradient(s)[0] == pytest.approx(
        float(tied.value_and_gradient_of_map(torch.from_numpy(s), 0.0)[0]), rel=1e-12
    )


def test_rows_of_an_experiment_survive_the_store(tmp_path):
    case = small_case(CLAIMS["nuclear-norm"])
    row = Row(
        case=case,
        measured={"objective": 1.5, "q": 0.25},
        theory={"objective": 1.25},
        theory_error={"objective": 1e-9},
    )
    store = Store(tmp_path)
    store.put(row)
    back = store.get(case)
    assert back is not None
    assert back.measured == row.measured
    assert back.theory == row.theory
    assert back.theory_error == row.theory_error


def test_suite_judges_an_experiment_and_rejects_its_control(tmp_path):
    from attlas.reports.page.page import page

    result = run_suite(
        "quick", store=tmp_path, claims=["untied-factors"], device="cpu", processes=1
    )
    assert result.exit_code == 0
    (one,) = result.claims
    assert one.outcome.value == "agrees"
    assert all(control.rejected for control in one.controls)
    again = run_suite("quick", store=tmp_path, claims=["untied-factors"], device="cpu", processes=1)
    assert again.rows_made == 0
    assert again.claims[0].verdicts == one.verdicts
    text = page(result)
    assert one.claim.title in text
    assert "1.0·10⁻⁷\u00a0%" in text
