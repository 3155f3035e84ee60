"""Message passing: its fixed point is that of training, its path that of state evolution."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from attlas.model import BadInput, problem_from
from attlas.solver.trajectory import trajectory
from attlas.verify import SimulationError, SimulationStatus, paired_problem, simulate
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.amp.passing import SIGMA_START
from attlas.verify.training.amp.training import message_passing, oscillation, train


@pytest.mark.parametrize(
    "flat",
    [
        {"tokens": 1, "noise": "0.2", "lam": "0.1"},
        {"tokens": 2, "kappa": "0.75"},
        {"tokens": 3, "noise": "0.1", "lam": "0.02", "alpha": "0.1"},
        {"tokens": 2, "task": "seq2seq"},
        {"training": "direct", "lam": "0.05"},
        {"training": "direct-psd", "lam": "0.05"},
    ],
)
def test_fixed_point_is_that_of_training(flat):
    problem = problem_from(**{"alpha": "0.2", "lam": "0.01", "kappa0": "0.5", **flat})
    passed, trained = (
        simulate(problem, d=16, seeds=[3], algorithm=name, paired=False).runs[0]
        for name in ("amp", "adam")
    )
    assert passed.data_hash == trained.data_hash
    assert passed.certificate.dual_violation <= 1e-7
    assert passed.certificate.slackness <= 1e-7
    assert passed.observables.loss == pytest.approx(trained.observables.loss, rel=1e-11)
    assert passed.observables.q == pytest.approx(trained.observables.q, rel=1e-6)


def test_the_metric_and_the_damping_do_not_move_the_fixed_point(make_training):
    training = make_training(10, alpha="0.5", lam="0.05")
    maps = [
        train(replace(training, onsager=onsager, damping=damping)).s
        for onsager, damping in (("sample", None), ("mean", 0.3), ("sample", 0.4))
    ]
    np.testing.assert_allclose(maps[1], maps[0], atol=1e-6)
    np.testing.assert_allclose(maps[2], maps[0], atol=1e-6)


def test_first_iterations_follow_state_evolution():
    """T = 1, where the trajectory is in closed form; deviations are of order 1/d."""
    problem = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1)
    deviations = []
    for seed in range(6):
        run = simulate(
            problem,
            d=40,
            seeds=[seed],
            algorithm="amp",
            paired=False,
            damping=0,
            max_steps=3,
            raise_on_failure=False,
        ).runs[0]
        teacher = draw_teacher(problem.target, 40, seed)
        path = trajectory(
            paired_problem(problem, teacher, run.n, run.p), 3, sigma_start=SIGMA_START
        )
        assert path.error == 0
        deviations.append(
            [
                getattr(seen, key) / getattr(point.overlaps, key) - 1
                for seen, point in zip(run.iterations, path.points, strict=True)
                for key in ("q", "m")
            ]
        )
    assert np.abs(np.mean(deviations, axis=0)).max() < 0.04
    damped = trajectory(problem, 3, sigma_start=SIGMA_START, damping=0.25)
    undamped = trajectory(problem, 3, sigma_start=SIGMA_START)
    assert abs(damped.points[0].overlaps.q / undamped.points[0].overlaps.q - 1) > 0.2


def test_trajectory_ends_at_the_solution():
    from attlas.solver import solve

    problem = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1)
    solution = solve(problem)
    for damping in (0.0, 0.4):
        last = trajectory(problem, 200, damping=damping).points[-1]
        assert last.overlaps.q == pytest.approx(solution.q, rel=1e-9)
        assert last.overlaps.sigma == pytest.approx(solution.sigma, rel=1e-9)
        assert last.conjugates.sigma_hat == pytest.approx(solution.sigma_hat, rel=1e-9)


def test_replicon_is_that_of_the_theory():
    problem = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1)
    run = simulate(problem, d=64, seeds=[0], algorithm="amp", onsager="mean").runs[0]
    assert run.theory is not None
    assert run.iterations[-1].replicon == pytest.approx(run.theory.replicon, rel=0.03)
    assert run.iterations[-1].sigma == pytest.approx(run.theory.sigma, rel=0.08)


def test_oscillation_is_reported_and_not_hidden():
    problem = problem_from(alpha="0.5", lam="0.01", kappa0="0.5")
    simulation = simulate(
        problem,
        d=16,
        seeds=[3],
        algorithm="amp",
        paired=False,
        damping=0,
        max_steps=60,
        raise_on_failure=False,
    )
    assert simulation.status is SimulationStatus.NOT_CONVERGED
    run = simulation.runs[0]
    assert oscillation(run.iterations) < -0.9
    for word in ("replicon", "oscillation", "`damping`"):
        assert word in run.certificate.advice


def test_strong_penalty_collapses_and_is_exact():
    """No eigenvalue survives: Sigma decays to 0, and S = 0 is the stationary point."""
    problem = problem_from(alpha="0.2", lam="5", kappa0="0.5")
    run = simulate(problem, d=12, seeds=[0], algorithm="amp", paired=False).runs[0]
    assert run.observables.q == 0
    assert run.iterations[-1].replicon == 0
    assert run.certificate.dual_violation == 0


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"damping": 1}, "damping"),
        ({"damping": -0.1}, "damping"),
        ({"onsager": "none"}, "onsager"),
        ({"centring": "average"}, "centring"),
        ({"max_steps": 0}, "max_steps"),
    ],
)
def test_bad_input(options, parameter):
    problem = problem_from(alpha="0.2", lam="0.01", kappa0="0.5")
    with pytest.raises(BadInput) as caught:
        simulate(problem, d=12, algorithm="amp", paired=False, **options)
    assert caught.value.parameter == parameter


def test_failure_raises_by_default():
    problem = problem_from(alpha="0.2", lam="0.01", kappa0="0.5")
    with pytest.raises(SimulationError, match="replicon"):
        simulate(problem, d=12, algorithm="amp", paired=False, max_steps=2)


def test_iterations_count_from_one(make_training):
    passing = message_passing(make_training(12), 0.01)
    records = [record for _, record in islice(passing.iterate(passing.start(), lambda: 0.2), 3)]
    assert [record.step for record in records] == [1, 2, 3]
