"""Untied heads that are trained: data, gradients, two algorithms, and the theory beside them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attlas import BadInput, LinearChannel, Problem, Product, SoftmaxChannel, Untied, simulate
from attlas.model import Atoms
from attlas.verify.claims import CLAIMS, commit_margins
from attlas.verify.data.rows import draw_rows, rows_of_scores
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.untied import RowsObjective


def problem(channel=None, *, alpha="0.4", lam="0.1", target=None, **estimator) -> Problem:
    return Problem(
        alpha=alpha,
        target=target or Product("1/2"),
        channel=channel or SoftmaxChannel(),
        estimator=Untied(lam=lam, **estimator),
    )


@pytest.mark.parametrize("noise", [0, "1/2"])
def test_scores_of_the_teacher_have_its_strength_and_half_the_noise(noise):
    asked, d = problem(SoftmaxChannel(2, 1, 1, noise), keys=3), 40
    teacher = draw_teacher(asked.target, d, 0)
    rows = draw_rows(asked, teacher, 4000, 0)
    assert rows.x.shape == (8000, d)
    assert rows.keys.shape == (3, 8000, d)
    clean = rows_of_scores(rows.x, rows.keys, teacher.s0)[0]
    assert clean.var() == pytest.approx(teacher.q0, rel=0.05)
    assert np.corrcoef(clean)[0, 1] == pytest.approx(0, abs=0.05)
    odds = np.log(rows.labels[0, 0] / rows.labels[0, 1])
    assert odds.var() == pytest.approx(2 * (teacher.q0 + float(asked.channel.noise) / 2), rel=0.06)
    assert np.linalg.matrix_rank(teacher.s0) == 20
    assert np.count_nonzero(teacher.eigenvalues) == 20


def test_masked_queries_attend_to_the_other_tokens_alone():
    asked = problem(SoftmaxChannel(3), keys="masked")
    rows = draw_rows(asked, draw_teacher(asked.target, 10, 0), 5, 0)
    x, keys = rows.x.reshape(5, 3, 10), rows.keys.reshape(2, 5, 3, 10)
    for a, others in enumerate(((1, 2), (0, 2), (0, 1))):
        for k, b in enumerate(others):
            assert np.array_equal(keys[k, :, a], x[:, b])


def test_given_singular_values_are_those_of_the_teacher():
    asked = problem(target=Atoms([3.0, 2.0, 1.0, 0.0, 0.0]))
    teacher = draw_teacher(asked.target, 5, 3)
    assert np.linalg.svd(teacher.s0, compute_uv=False) == pytest.approx([3, 2, 1, 0, 0], abs=1e-12)
    assert not np.allclose(teacher.s0, teacher.s0.T)


def test_gradients_by_hand_are_those_of_automatic_differentiation():
    asked, d, p = problem(), 8, 5
    teacher = draw_teacher(asked.target, d, 1)
    rows = draw_rows(asked, teacher, 30, 1)
    factors = RowsObjective.of(asked, rows, torch.device("cpu")).on_factors(0.3, p)
    w = torch.randn(2 * d, p, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    _, by_hand = factors.value_and_gradient(w)
    moved = w.clone().requires_grad_()
    s = moved[:d] @ moved[d:].T / (p * d) ** 0.5
    scores = torch.einsum("ni,ij,knj->kn", factors.x, s, torch.from_numpy(rows.keys)) / d**0.5
    attention = torch.softmax(scores, dim=0)
    loss = ((attention - torch.from_numpy(rows.labels[0])) ** 2).sum() + 0.15 * (moved**2).sum()
    (automatic,) = torch.autograd.grad(loss, moved)
    assert by_hand.numpy() == pytest.approx(automatic.numpy(), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("channel", "keys"), [(LinearChannel("1/2"), None), (SoftmaxChannel(3), "masked")]
)
def test_factors_and_map_end_at_one_minimum_beside_the_theory(channel, keys):
    asked = problem(channel, lam="0.2", keys=keys)
    both = [
        simulate(asked, d=16, seeds=1, algorithm=algorithm, paired=False).runs[0]
        for algorithm in ("adam", "fista")
    ]
    assert all(run.certificate.converged and run.certificate.minimal for run in both)
    for key in ("loss", "q", "m", "test_error"):
        one, other = (getattr(run.observables, key) for run in both)
        assert one == pytest.approx(other, rel=1e-4), key


@pytest.mark.slow
def test_heads_come_to_the_theory_at_their_own_teachers():
    asked = problem(LinearChannel("1/2"), alpha="0.5", lam="0.2")
    deviations = {}
    for d, seeds in ((20, 24), (60, 8)):
        runs = simulate(asked, d=d, seeds=seeds).runs
        for key in ("loss", "q", "m"):
            found = [getattr(r.observables, key) / getattr(r.theory, key) - 1 for r in runs]
            deviations[key, d] = np.mean(found), np.std(found) / np.sqrt(seeds)
    for key in ("loss", "q", "m"):
        mean, error = deviations[key, 60]
        assert abs(mean) < 0.02 + 3 * error


@pytest.mark.slow
def test_wrong_theories_are_told_apart_in_the_limit():
    from attlas import solve

    claim = CLAIMS["untied-heads"]
    margins = commit_margins(
        claim, claim.points[:1], lambda one: solve(one, rtol=1e-4, raise_on_failure=False)
    )
    for control in claim.controls:
        told = [m for m in margins if control.id not in m.blind and control.id in m.distances]
        assert told, control.id


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"algorithm": "amp"}, "algorithm = 'amp'.*adam or fista"),
        ({"centring": "average"}, "centring = 'average'"),
        ({"overlaps": True}, "training = 'untied'"),
    ],
)
def test_what_untied_training_does_not_have_is_refused(options, sentence):
    with pytest.raises(BadInput, match=sentence):
        simulate(problem(), d=12, **options)
