"""Heads in time beside the flow: what the claim on gradient descent compares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from attlas.model import Atoms, problem_from
from attlas.verify.claims import claim
from attlas.verify.experiments.flow import FLOW, STEPS, predicted, step_of
from attlas.verify.experiments.training import training_of
from attlas.verify.store.case import Case

LINEAR = Case(problem_from(alpha="40", lam="24", kappa0="0.5", tokens=1), d=16, seed=3)


def test_batches_sum_to_the_objective():
    _, training = training_of(LINEAR)
    whole = training.objective()
    w = torch.randn(16, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    value, gradient = whole.value_and_gradient(w)
    parts = [part.value_and_gradient(w) for part in whole.batches(8)]
    assert sum(float(one) for one, _ in parts) == pytest.approx(float(value))
    torch.testing.assert_close(torch.stack([one for _, one in parts]).sum(dim=0), gradient)


def test_the_first_step_of_one_token_by_hand():
    # x -> x (1 - step (2 e_q x + e_m s + c))^2 with e_q = 2, e_m = -4, c = lam/alpha.
    problem = LINEAR.problem.with_(target=Atoms([2.0]))
    step, turns = 0.01, 2 * STEPS
    x = 0.01
    for _ in range(turns):
        x *= (1 - step * (4 * x - 4 * 2.0 + 24 / 40)) ** 2
    found = predicted(problem, step, signal=4.0)
    assert found["q_2"] == pytest.approx(x**2, rel=1e-9)
    assert found["m_2_sgd"] == pytest.approx(2 * x, rel=1e-9)


@pytest.mark.slow
def test_heads_follow_the_flow_and_not_the_wrong_ones():
    the_claim = claim("gradient-flow")
    for point in the_claim.points:
        cases = [Case(point.problem, d=28, seed=seed) for seed in range(3)]
        runs = [FLOW.measure(case) for case in cases]
        for quantity in the_claim.quantities:
            key = quantity.key
            deviation = np.mean([run.measured[key] / run.reference[key] - 1 for run in runs])
            assert abs(deviation) < (0.12 if key.startswith("escape") else 0.06), key
        reference = runs[0].reference["q_2"]
        for control in the_claim.controls:
            assert abs(FLOW.wrong(cases[0], control)["q_2"] / reference - 1) > 0.12


def test_the_step_does_not_depend_on_the_run():
    assert step_of(LINEAR.problem) == step_of(replace(LINEAR, seed=9).problem)
    assert step_of(LINEAR.problem) == pytest.approx(np.log(100) / 8 / STEPS)
