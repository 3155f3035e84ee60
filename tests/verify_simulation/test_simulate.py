"""The simulate contract: measures, spread, paired problem, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import softmax
from scipy.stats import t as student

from attlas.model import Atoms, BadInput, Factorised, Problem, SoftmaxChannel
from attlas.verify import draw_data, draw_teacher, paired_problem, simulate
from attlas.verify.data.sequences import raw_scores
from attlas.verify.machine.device import resolve_device
from attlas.verify.simulation.comparison import paired_differences, sentence
from attlas.verify.simulation.measure import measure
from attlas.verify.simulation.progress import Event, progress_bar
from attlas.verify.training.factorised import train
from attlas.verify.training.task import Training


def test_observables_agree_with_their_definitions(make_problem):
    problem = make_problem(tokens=2, noise="0.3", lam="0.05")
    run = simulate(problem, d=20, seeds=[4], paired=False).runs[0]
    seen = run.observables
    teacher = draw_teacher(problem.target, 20, 4)
    assert seen.q == pytest.approx(np.square(run.eigenvalues).sum() / 20, rel=1e-12)
    assert seen.q is not None
    assert seen.m is not None
    assert seen.mse == pytest.approx(seen.q - 2 * seen.m + teacher.q0, rel=1e-10)
    penalty = 20 * 0.05 * sum(run.eigenvalues)
    assert seen.train_error is not None
    assert seen.loss == pytest.approx((seen.train_error * run.n + penalty) / 20**2, rel=1e-10)
    assert run.n == problem.samples(20)


def test_linear_test_error_is_exact(make_problem):
    """One Gaussian token: E(y - h)^2 = 2 |S - S0|^2/d + noise at any d."""
    run = simulate(make_problem(tokens=1, noise="0.2", lam="0.1"), d=16, seeds=1, paired=False)
    seen = run.mean
    assert seen.mse is not None
    assert seen.test_error == pytest.approx(2 * seen.mse + 0.2, rel=1e-12)
    assert seen.test_error_clean == pytest.approx(2 * seen.mse, rel=1e-12)


@pytest.mark.parametrize(
    ("task", "centring"), [("seq2lab", "trace"), ("seq2seq", "trace"), ("seq2lab", "average")]
)
def test_control_variates_do_not_shift_the_test_error(make_problem, task, centring):
    """Against the plain average over another, larger test set.

    Centred by an average over few samples, labels see scores that the control variates must not.
    """
    problem = make_problem(tokens=2, noise="0.4", lam="0.1", task=task)
    d, seed, n = 12, 0, problem.samples(12)
    teacher = draw_teacher(problem.target, d, seed)
    data = draw_data(problem, teacher, n, seed, centring=centring)
    trained = train(
        Training(
            problem=problem,
            data=data,
            s0=teacher.s0,
            d=d,
            p=d,
            lams=(0.1,),
            seed=seed,
            device=resolve_device("cpu"),
            centring=centring,
            tolerance=1e-7,
            adam_steps=0,
            max_steps=5000,
            initialisation="large",
        )
    )
    measured = measure(problem, teacher, data, trained, seed=seed, centring=centring)
    fresh = draw_data(problem, teacher, 200_000, 99, "test", offset=data.offset)
    average = raw_scores(data.x, trained.s).mean(axis=0)
    offset = average if centring == "average" else fresh.moments.offset(trained.s)
    student = raw_scores(fresh.x, trained.s) - offset
    residual = fresh.labels - softmax(student, axis=2)
    output = residual @ fresh.x / np.sqrt(d) if task == "seq2seq" else residual
    errors = np.square(output).sum(axis=(1, 2))
    plain, plain_error = errors.mean(), errors.std() / np.sqrt(errors.size)
    found, found_error = measured.observables.test_error, measured.sampling_error.test_error
    assert found is not None
    assert found_error is not None
    assert abs(found - plain) < 4 * np.hypot(plain_error, found_error)
    assert found_error < 0.01 * plain


def test_spread_is_over_seeds_only(make_problem):
    one = simulate(make_problem(), d=12, seeds=1, paired=False)
    assert one.spread.present() == {}
    assert one.mean == one.runs[0].observables
    two = simulate(make_problem(), d=12, seeds=[7, 9], paired=False)
    assert [run.seed for run in two.runs] == [7, 9]
    first, second = (run.observables.present()["q"] for run in two.runs)
    assert two.spread.q == pytest.approx(abs(first - second) / 2, rel=1e-12)


def test_paired_problem_is_exact(make_problem):
    problem = make_problem(kappa="0.7")
    teacher = draw_teacher(problem.target, 11, 0)
    paired = paired_problem(problem, teacher, n=24, p=8, lam=Fraction(1, 100))
    assert isinstance(paired.target, Atoms)
    assert isinstance(paired.estimator, Factorised)
    assert paired.alpha == Fraction(24, 121)
    assert paired.estimator.kappa == Fraction(8, 11)
    np.testing.assert_array_equal(paired.target.eigenvalues, teacher.eigenvalues)


def test_lam_zero_needs_a_path(make_problem):
    with pytest.raises(BadInput, match=r"^lam = 0 is not valid.*lam_path"):
        simulate(make_problem(lam="0"), d=12, paired=False)
    simulation = simulate(make_problem(lam="0"), d=12, paired=False, lam_path=["0.1", "0.01"])
    direct = simulate(make_problem(lam="0.01"), d=12, paired=False)
    assert simulation.runs[0].lam == 0.01
    assert simulation.mean.q == pytest.approx(direct.mean.q, rel=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d": 4}, "^d = 4 is not valid"),
        ({"device": "cdua"}, "'cdua'.*did you mean cuda"),
        ({"algorithm": "adan"}, "^algorithm.*did you mean adam"),
        ({"centring": "mean"}, "^centring"),
        ({"initialisation": "huge"}, "^initialisation"),
        ({"gradient_tolerance": 0}, "^gradient_tolerance"),
        ({"gradient_tolerance": float("nan")}, "^gradient_tolerance"),
        ({"adam_steps": -1}, "^adam_steps"),
        ({"seeds": 0}, "^seeds"),
        ({"seeds": []}, "^seeds"),
        ({"seeds": [1, 1]}, "^seeds"),
        ({"seeds": [-1]}, "^seeds"),
        ({"lam_path": [0.01, 0.02]}, "^lam_path"),
    ],
)
def test_refusals(make_problem, options: dict[str, Any], message: str):
    with pytest.raises(BadInput, match=message):
        simulate(make_problem(), **{"d": 12, "paired": False, **options})


def test_problems_too_small_for_the_dimension_are_refused(make_problem):
    for problem, name in (
        (make_problem(alpha="0.001"), r"^alpha "),
        (make_problem(kappa="0.01"), r"^kappa "),
    ):
        with pytest.raises(BadInput, match=name):
            simulate(problem, d=12, paired=False)
    atoms = Problem(
        alpha=1, target=Atoms([1.0] * 9), channel=SoftmaxChannel(), estimator=Factorised(lam=1)
    )
    with pytest.raises(BadInput, match="must be the target's dimension, 9"):
        simulate(atoms, d=12, paired=False)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_cuda_without_cuda_is_refused(make_problem):
    with pytest.raises(BadInput, match="needs a CUDA device"):
        simulate(make_problem(), d=12, device="cuda", paired=False)


def test_progress_is_reported_and_kept_off_standard_output(make_problem, capsys):
    events: list[Event] = []
    simulate(make_problem(), d=12, seeds=2, paired=False, progress=events.append)
    assert {event.stage for event in events} >= {"adam", "measure", "done"}
    assert [event.run for event in events if event.stage == "done"] == [0, 1]
    with progress_bar() as progress:
        simulate(make_problem(), d=12, seeds=1, paired=False, progress=progress)
    assert capsys.readouterr().out == ""


def test_the_paired_difference_is_that_of_the_runs_deviations(make_problem):
    """Of one token: the error is the scatter of paired deviations, not of the measured values."""
    simulation = simulate(make_problem(tokens=1, noise="0.2", lam="0.1"), d=16, seeds=5)
    pairs = [(run.observables, run.theory) for run in simulation.runs]
    off = [seen.present()["q"] / theory.present()["q"] - 1 for seen, theory in pairs if theory]
    t = abs(np.mean(off)) / (np.std(off, ddof=1) / 5**0.5)
    one = simulation.paired["q"]
    assert one.difference == pytest.approx(np.mean(off), rel=1e-12)
    assert one.standard_error == pytest.approx(np.std(off, ddof=1) / 5**0.5, rel=1e-12)
    assert one.p_value == pytest.approx(2 * student.sf(t, 4), rel=1e-9)
    assert one.coefficient == pytest.approx(16 * np.mean(off), rel=1e-12)
    assert simulate(make_problem(tokens=1), d=12, seeds=1, paired=False).paired == {}


def test_a_sentence_says_what_is_more_than_chance():
    rng = np.random.default_rng(1)
    near = {"q": 0.0, "test_error": 0.05}
    runs = [{key: x + 0.004 * rng.standard_normal() for key, x in near.items()} for _ in range(6)]
    said = sentence(paired_differences(runs, 60), 60)
    assert "test_error by +" in said
    assert "/d)" in said
    assert "d = 120" in said
    assert "q by" not in said
    alike = [{"q": one["q"]} for one in runs]
    assert sentence(paired_differences(alike, 60), 60).startswith("Within their errors")
    assert "--seeds 2" in sentence(paired_differences(alike[:1], 60), 60)
    assert sentence({}, 60) == ""
