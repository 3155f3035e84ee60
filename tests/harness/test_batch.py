"""Seeds trained together end where each ends on its own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attlas.model import problem_from
from attlas.verify.claims.controls import DOUBLED_PENALTY
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.machine.device import accelerator, resolve_device
from attlas.verify.store.case import Case
from attlas.verify.suite.batch import batches, train
from attlas.verify.suite.run import run_suite
from attlas.verify.suite.schedule import Schedule
from attlas.verify.suite.work import Job, do
from attlas.verify.training.losses import Objective
from attlas.verify.training.losses.batch import BatchObjective
from tests.judge import fake_work

SOFTMAX = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
PROBLEMS = {
    "softmax": SOFTMAX,
    "three tokens": problem_from(alpha="0.2", lam="0.05", kappa0="0.5", tokens=3),
    "linear": problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1),
    "seq2seq": SOFTMAX.with_(task="seq2seq"),
}


@pytest.mark.parametrize("centring", ["trace", "average"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_gradients_are_those_of_each_data_set(name: str, centring: str):
    problem, d, p = PROBLEMS[name], 9, 7
    data = [
        draw_data(problem, draw_teacher(problem.target, d, seed), 20, seed, centring=centring)
        for seed in (1, 2, 3)
    ]
    w = torch.from_numpy(np.random.default_rng(0).standard_normal((3, d, p)))
    objectives = [Objective.build(problem, one, lam=0.3, centring=centring) for one in data]
    value, gradient = BatchObjective.of(objectives).value_and_gradient(w)
    own = [one.value_and_gradient(w[number]) for number, one in enumerate(objectives)]
    assert float(value) == pytest.approx(sum(float(v) for v, _ in own), rel=1e-12)
    for number, (_, expected) in enumerate(own):
        assert torch.allclose(gradient[number], expected, rtol=1e-11, atol=1e-12)


def test_rows_are_those_of_seeds_on_their_own():
    jobs = [
        Job(Case(PROBLEMS["linear"], d=12, seed=seed), True, (DOUBLED_PENALTY,) if seed else ())
        for seed in (0, 1)
    ]
    together = list(train(jobs, "cpu"))
    alone = [row for job in jobs for row in do(job, "cpu")]
    assert [row.case for row in together] == [row.case for row in alone]
    for ours, theirs in zip(together, alone, strict=True):
        assert ours.data_hash == theirs.data_hash
        assert ours.theory == theirs.theory
        assert ours.measured == pytest.approx(theirs.measured, rel=1e-5)
        assert ours.converged
    assert "2 seeds together" in together[0].arithmetic


def test_batches_hold_every_job_once_and_are_of_one_kind(monkeypatch):
    jobs = Schedule.of("quick", None).jobs()
    found = batches(jobs)
    assert sorted(job.case.address for batch in found for job in batch) == sorted(
        job.case.address for job in jobs
    )
    together = [batch for batch in found if len(batch) > 1]
    assert sum(map(len, together)) > 100
    assert len(together) < sum(map(len, together)) / 5
    for batch in found:
        assert len({(job.case.problem, job.case.d) for job in batch}) == 1
        assert len(batch) == 1 or not batch[0].experiment
    monkeypatch.setattr("attlas.verify.suite.batch.LARGEST", 1)
    assert all(len(batch) == 1 for batch in batches(jobs))


def test_a_gpu_is_given_batches(tmp_path, monkeypatch):
    fake_work.use(monkeypatch)
    monkeypatch.setattr("attlas.verify.suite.run.resolve_device", lambda _: torch.device("cuda"))
    sizes = []

    def on_gpu(jobs, device):
        assert device == "cuda"
        sizes.append(len(jobs))
        return [row for job in jobs for row in fake_work.make_do()(job, device)]

    monkeypatch.setattr("attlas.verify.suite.batch.train", on_gpu)
    result = run_suite("quick", store=tmp_path, device="cuda", processes=1)
    assert sizes == [3] * 6
    assert result.rows_made == 18
    assert result.device == "cuda"


def test_float32_is_float32():
    resolve_device("cpu")
    assert torch.get_float32_matmul_precision() == "highest"
    assert not torch.backends.cuda.matmul.allow_tf32
    assert not torch.backends.cudnn.allow_tf32
    assert accelerator("cpu") == {}
