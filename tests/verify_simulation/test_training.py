"""Training ends at a certified stationary point, whichever way it went there."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
import torch

from attlas.verify import SimulationError, SimulationStatus, simulate
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.certificate import relative_gradient
from attlas.verify.training.factorised import spectrum_of_factor
from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.lbfgs import polish
from attlas.verify.training.losses import Objective


def values(run):
    return np.array(list(run.observables.present().values()))


@pytest.mark.parametrize(
    "options",
    [
        {"tokens": 1, "noise": "0.2", "lam": "0.1"},
        {"tokens": 2},
        {"tokens": 3, "noise": "0.1", "lam": "0.02"},
        {"tokens": 2, "task": "seq2seq"},
    ],
)
@pytest.mark.parametrize("centring", ["trace", "average"])
def test_certificate_holds_when_recomputed(make_problem, options, centring):
    problem = make_problem(**options)
    d, seed = 20, 1
    run = simulate(problem, d=d, seeds=[seed], paired=False, centring=centring).runs[0]
    assert run.certificate.converged
    assert run.certificate.minimal
    data = draw_data(problem, draw_teacher(problem.target, d, seed), run.n, seed, centring=centring)
    lam = float(problem.estimator.lam)
    objective = Objective.build(problem, data, lam=lam, centring=centring)
    polished = polish(objective, torch.from_numpy(initial_factor("large", d, d, seed)))
    value, gradient = objective.value_and_gradient(polished.w)
    recomputed = relative_gradient(
        float(gradient.norm()), float(polished.w.norm()), lam, polished.w.shape
    )
    assert recomputed == pytest.approx(polished.gradient, rel=1e-6)
    assert recomputed <= 1e-7
    assert float(value) / d**2 == pytest.approx(run.observables.loss, rel=1e-10)


def test_gradient_is_relative_to_that_of_the_penalty():
    """|2 lam W|_F is one; below entries of order one W counts as if they were."""
    assert relative_gradient(2 * 0.3 * 50, 50, 0.3, (10, 4)) == pytest.approx(1)
    assert relative_gradient(2 * 0.3, 0.0, 0.3, (10, 4)) == pytest.approx(40**-0.5)


def test_scaled_columns_take_fewer_evaluations(make_problem, monkeypatch):
    """What L-BFGS moves is W with its columns scaled: the same minimum, sooner."""
    used = {}
    for share in (0.1, 1.0):  # at 1 all columns have the same
        monkeypatch.setattr("attlas.verify.training.lbfgs.LEAST_SCALE", share)
        used[share] = simulate(make_problem(), d=32, seeds=2, paired=False, device="cpu").runs
    for scaled, plain in zip(*used.values(), strict=True):
        one, other = scaled.certificate, plain.certificate
        assert one.objective == pytest.approx(other.objective, rel=1e-10)
        assert one.steps["l-bfgs"] < 0.6 * other.steps["l-bfgs"]


def test_the_stationary_point_does_not_depend_on_the_way_there(make_problem):
    problem = make_problem()
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"adam_steps": 0},
        {"adam_steps": 900},
        {"initialisation": "small"},
    )
    runs = [simulate(problem, d=24, seeds=[3], paired=False, **way).runs[0] for way in ways]
    assert len({run.data_hash for run in runs}) == 1
    for other in runs[1:]:
        np.testing.assert_allclose(values(other), values(runs[0]), rtol=1e-5)
        assert other.observables.loss == pytest.approx(runs[0].observables.loss, rel=1e-11)


def test_results_do_not_depend_on_the_number_of_threads(make_problem):
    before = torch.get_num_threads()
    runs = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            runs.append(
                simulate(make_problem(), d=12, seeds=[0], paired=False, adam_steps=20).runs[0]
            )
        finally:
            torch.set_num_threads(before)
    assert runs[0].data_hash == runs[1].data_hash
    np.testing.assert_allclose(values(runs[0]), values(runs[1]), rtol=1e-5)


def test_the_map_does_not_depend_on_the_width_beyond_its_rank(make_problem):
    """sqrt(kappa) lam fixed: theory.md section 2."""
    narrow = make_problem(kappa="9/16", lam="0.016")
    wide = make_problem(kappa="9/4", lam="0.008")
    first, second = (
        simulate(problem, d=32, seeds=[0], paired=False).runs[0] for problem in (narrow, wide)
    )
    assert (first.p, second.p) == (18, 72)
    np.testing.assert_allclose(values(first), values(second), rtol=1e-5)


def test_a_width_below_the_rank_is_said(make_problem):
    simulation = simulate(make_problem(kappa="0.25"), d=20, seeds=1, paired=False)
    assert simulation.status is SimulationStatus.WIDTH_LIMITED
    assert simulation.runs[0].certificate.dual_violation > 0.1


def test_collapse(make_problem):
    run = simulate(make_problem(lam="2"), d=20, seeds=1, paired=False).runs[0]
    assert run.converged
    assert run.observables.rank_fraction == 0
    assert run.observables.q == pytest.approx(0, abs=1e-12)


def test_saturated_training_is_finite(make_problem):
    problem = make_problem(tokens=4, beta0="50", lam="0.05")
    run = simulate(problem, d=16, seeds=1, paired=False).runs[0]
    assert np.all(np.isfinite(values(run)))


def test_non_convergence_raises_with_advice(make_problem):
    with pytest.raises(SimulationError, match=r"max_steps") as caught:
        simulate(make_problem(), d=20, seeds=1, paired=False, max_steps=5)
    assert caught.value.simulation.status is SimulationStatus.NOT_CONVERGED
    failed = simulate(
        make_problem(), d=20, seeds=1, paired=False, max_steps=5, raise_on_failure=False
    )
    assert not failed.runs[0].converged


def test_a_lost_direction_comes_back_along_a_path(make_problem):
    """Lowering lam from one that kills directions ends where direct training does."""
    problem = make_problem(lam="0.02")
    direct = simulate(problem, d=20, seeds=[1], paired=False).runs[0]
    path = simulate(problem, d=20, seeds=[1], paired=False, lam_path=["0.5", "0.1"]).runs[0]
    assert path.certificate.minimal
    np.testing.assert_allclose(values(path), values(direct), rtol=1e-5)


def test_spectrum_from_singular_values_is_never_negative():
    w = np.random.default_rng(0).standard_normal((40, 20))
    spectrum = spectrum_of_factor(w)
    assert spectrum.shape == (40,)
    assert np.all(spectrum[20:] == 0)
    assert np.all(spectrum >= 0)
    reference = np.linalg.eigvalsh(w @ w.T / sqrt(40 * 20))[::-1]
    np.testing.assert_allclose(spectrum, reference, atol=1e-12)
