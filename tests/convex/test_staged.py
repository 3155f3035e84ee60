"""Proximal gradient on growing parts of the data: the same minimum, certified on all of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attlas.model import problem_from
from attlas.verify import simulate
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.simulation.progress import Event, progress_lines
from attlas.verify.spectra import train_heads
from attlas.verify.training.algorithms import algorithm
from attlas.verify.training.growth import GROWTH, LEAST_ALPHA, shares
from attlas.verify.training.losses import Objective
from attlas.verify.training.task import Training

PROBLEM = problem_from(alpha="1", lam="0.02", kappa0="0.2", noise="0.1")


def _run(name: str, problem=PROBLEM, d: int = 24, **options):
    return simulate(problem, d=d, seeds=1, algorithm=name, paired=False, **options).runs[0]


@pytest.mark.parametrize(
    "flat",
    [
        {"alpha": "1", "kappa0": "0.2"},
        {"alpha": "0.3", "kappa0": "0.2"},
        {"alpha": "1", "kappa0": "0.5", "training": "direct-psd"},
        {"alpha": "1", "kappa0": "0.5", "training": "direct"},
        {"alpha": "1", "kappa0": "0.2", "tokens": 1},
    ],
    ids=lambda flat: ",".join(map(str, flat.values())),
)
def test_the_minimum_is_that_of_all_data_in_double_precision(flat) -> None:
    problem = problem_from(lam="0.05", noise="0.1", **flat)
    quick, plain = _run("staged", problem), _run("fista", problem)
    assert quick.certificate.gradient <= 1e-7
    assert quick.certificate.steps["float64"] > 0
    assert quick.data_hash == plain.data_hash
    assert quick.certificate.objective == pytest.approx(plain.certificate.objective, rel=1e-10)
    np.testing.assert_allclose(quick.eigenvalues, plain.eigenvalues, atol=1e-5)


def test_a_loose_tolerance_is_met_in_single_precision_and_certified_in_double() -> None:
    loose, tight = _run("staged", gradient_tolerance=1e-4), _run("staged")
    assert loose.certificate.steps["float64"] == 0
    assert 1e-7 < loose.certificate.gradient <= 1e-4
    np.testing.assert_allclose(loose.eigenvalues, tight.eigenvalues, atol=1e-3)


def test_a_penalty_beyond_the_largest_leaves_nothing() -> None:
    assert set(_run("staged", problem_from(alpha="1", lam="5", kappa0="0.2")).eigenvalues) == {0.0}


def test_parts_grow_and_start_where_data_suffice() -> None:
    found = shares(200_000, 100)
    assert found == [12_500, 50_000, 200_000]
    assert all(share >= LEAST_ALPHA * 100**2 for share in found)
    assert GROWTH * found[-2] == 200_000
    assert shares(2500, 100) == [2500]


@pytest.mark.parametrize("lam", ["0.01", "0.0001"])
def test_single_precision_is_left_where_its_rounding_has_won(lam: str) -> None:
    """The residual is relative to the penalty: with many samples float32 does not reach 2e-5."""
    found = _run("staged", problem_from(alpha="8", lam=lam, kappa0="0.5", noise="0.5"))
    assert found.certificate.gradient <= 1e-7
    assert found.certificate.steps["float32"] < 500


@pytest.mark.parametrize("name", ["staged", "adam"])
def test_the_first_part_has_its_share_of_the_penalty(name, monkeypatch) -> None:
    """At alpha = 2 a quarter of the data comes first, with a quarter of the penalty."""
    stages: list[str] = []

    def report(stage: str, step: int, steps: int) -> None:
        assert 0 <= step <= steps
        stages.append(stage)

    d = 24
    teacher = draw_teacher(PROBLEM.target, d, 0)
    data = draw_data(PROBLEM, teacher, 2 * d**2, 0)
    training = Training(
        PROBLEM, data, teacher.s0, d, d, (0.02,), 0, torch.device("cpu"), "trace", 1e-4, 25, None,
        "large", report=report,
    )  # fmt: skip
    built: list[tuple[int, float]] = []
    build = Objective.build.__func__

    def recorded(cls, problem, part, *, lam, **options):
        built.append((len(part.x), lam))
        return build(cls, problem, part, lam=lam, **options)

    monkeypatch.setattr(Objective, "build", classmethod(recorded))
    trained = algorithm(name)(training)
    assert built[:2] == [(288, 0.005), (1152, 0.02)]
    assert trained.certificate.gradient <= 1e-4
    if name == "staged":
        assert list(dict.fromkeys(stages)) == ["288 samples", "1152 samples"]


@pytest.mark.parametrize("centring", ["trace", "average"])
def test_gradient_of_factors_is_that_of_the_map(centring: str) -> None:
    d, rng = 12, np.random.default_rng(0)
    teacher = draw_teacher(PROBLEM.target, d, 1)
    objective = Objective.build(
        PROBLEM, draw_data(PROBLEM, teacher, 60, 1), lam=0.0, centring=centring
    )
    values, vectors = np.array([1.5, -0.4, 0.2]), rng.standard_normal((d, 3))
    s = (vectors * values) @ vectors.T
    value, gradient = objective.value_and_gradient_of_map(torch.from_numpy(s), 0.0)
    other, same = objective.value_and_gradient_of_factors(
        torch.from_numpy(values), torch.from_numpy(vectors)
    )
    assert float(other) == pytest.approx(float(value), rel=1e-12)
    np.testing.assert_allclose(same.numpy(), gradient.numpy(), atol=1e-10)


def test_heads_for_spectra_use_it_and_say_how_far_they_are(capsys) -> None:
    found = train_heads(PROBLEM, 16, [3, 5], progress=progress_lines())
    assert {run.algorithm for run in found.runs} == {"staged"}
    assert found.status.ok
    assert all(run.overlaps is not None for run in found.runs)
    said = capsys.readouterr()
    assert said.out == ""
    assert [line.split(",")[0] for line in said.err.splitlines()] == [
        "run 1/2 (seed 3) done",
        "run 2/2 (seed 5) done",
    ]
    direct = problem_from(alpha="1", lam="0.1", kappa0="0.2", training="direct")
    assert train_heads(direct, 16, [0]).runs[0].algorithm == "adam"


def test_lines_are_only_for_runs_that_ended(capsys) -> None:
    show = progress_lines()
    show(Event(0, "adam", 3, 300, 0, 2))
    assert capsys.readouterr().err == ""
