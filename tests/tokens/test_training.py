"""Heads on tokens of other laws: what is drawn, how scores are centred, what the gradient is."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attlas import BadInput, simulate
from attlas.model import problem_from
from attlas.verify.data.sequences import draw_data, raw_scores
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.losses import Objective
from attlas.verify.training.losses.batch import BatchObjective

BASE = {"alpha": "0.5", "lam": "0.05", "kappa0": "0.5", "noise": "0.5"}
#: A covariance whose mean is 1 and whose coordinates differ, in four different ways.
TOKENS = (
    {"token_covariance": "atoms:0.25/1.75"},
    {"token_covariance": "atoms:0.25/1.75", "tokens_law": "normalised"},
    {"token_covariance": "power-law:a=1,d=12", "token_positions": "ar1:rho=0.6"},
    {"tokens_law": "kurtosis:k=1", "token_positions": "ar1:rho=-0.4"},
)


def test_scores_are_centred_by_their_mean() -> None:
    """It is A_ab Tr CS/sqrt(d): less Tr S/sqrt(d), it would be seen 50 standard errors away."""
    d, n = 12, 60_000
    for flat in TOKENS:
        problem = problem_from(**BASE, **flat)
        teacher = draw_teacher(problem.target, d, 2)
        data = draw_data(problem, teacher, n, 5)
        s = np.diag(np.arange(1.0, d + 1))
        raw = raw_scores(data.x, s)
        spread = raw.std(axis=0) / np.sqrt(n)
        assert np.abs(raw.mean(axis=0) - data.moments.offset(s)).max() < 4 * spread.max()
        assert np.abs(data.scores.mean(axis=0)).max() < 5 * data.scores.std() / np.sqrt(n)


def test_a_normalised_token_keeps_the_moments_that_it_is_said_to_have() -> None:
    tokens = problem_from(**BASE, tokens_law="normalised", token_covariance="atoms:1/9").tokens
    moments = tokens.second_moments(8)
    x = tokens.draw(np.random.default_rng(1), (100_000, 2, 8))
    assert moments.mean() == pytest.approx(1, rel=1e-12)
    assert np.square(x).mean(axis=(0, 1)) == pytest.approx(moments, rel=0.01)
    assert moments[0] > 1.2 * 0.2  # far from the covariance before, at this dimension
    two = problem_from(**BASE, tokens_law="normalised", token_covariance="atoms:1/4").tokens
    # sqrt(c1)/(sqrt(c1) + sqrt(c2)) is the mean of u_1^2/(u_1^2 + u_2^2).
    assert two.second_moments(2) == pytest.approx([2 / 3, 4 / 3], rel=1e-12)


def test_gradients_are_those_of_the_loss() -> None:
    d, p, step = 12, 5, 1e-6
    rng = np.random.default_rng(0)
    w, direction = (torch.from_numpy(rng.standard_normal((d, p))) for _ in range(2))
    for flat in TOKENS:
        problem = problem_from(**BASE, **flat)
        data = draw_data(problem, draw_teacher(problem.target, d, 0), 40, 0)
        objective = Objective.build(problem, data, lam=0.3)
        batch = BatchObjective.of([objective, objective])
        value, gradient = objective.value_and_gradient(w)
        ahead, behind = (
            objective.value_and_gradient(w + sign * step * direction)[0] for sign in (1, -1)
        )
        slope = float((gradient * direction).sum())
        assert slope == pytest.approx(float(ahead - behind) / (2 * step), rel=1e-6)
        both, gradients = batch.value_and_gradient(torch.stack([w, w]))
        assert float(both) == pytest.approx(2 * float(value), rel=1e-12)
        assert gradients[1].numpy() == pytest.approx(gradient.numpy(), rel=1e-10)
        # The same in S: by the chain rule through S = W W^T/sqrt(p d).
        s = w @ w.mT / np.sqrt(p * d)
        of_map, in_map = objective.value_and_gradient_of_map(s, 0.3 * np.sqrt(p * d))
        assert float(of_map) == pytest.approx(float(value), rel=1e-12)
        chained = 2 * in_map @ w / np.sqrt(p * d)
        assert chained.numpy() == pytest.approx(gradient.numpy(), rel=1e-9, abs=1e-9)
        values, vectors = torch.linalg.eigh(s)
        factored, in_factors = objective.value_and_gradient_of_factors(values, vectors)
        in_factors.diagonal().add_(0.3 * np.sqrt(p * d))
        assert float(factored) == pytest.approx(
            float(of_map - 0.3 * np.sqrt(p * d) * s.diagonal().sum()), rel=1e-10
        )
        assert in_factors.numpy() == pytest.approx(in_map.numpy(), rel=1e-9, abs=1e-9)


def test_overlaps_are_those_of_the_whitened_map() -> None:
    problem = problem_from(**BASE, token_covariance="atoms:0.25/1.75")
    teacher = draw_teacher(problem.target, 16, 3)
    data = draw_data(problem, teacher, 20_000, 3)
    q0 = np.square(data.moments.whitened(teacher.s0)).sum() / 16
    # Off the diagonal, scores have the variance Tr (C S0)^2/d whatever C.
    assert np.square(data.scores[:, 0, 1]).mean() == pytest.approx(q0, rel=0.05)
    assert q0 != pytest.approx(teacher.q0, rel=0.05)


def test_message_passing_ends_where_proximal_gradients_do() -> None:
    """At its own covariance of scores in each sample, whatever the law of the norm."""
    problem = problem_from(**BASE, tokens_law="sphere")
    ends = [simulate(problem, d=16, algorithm=name, paired=False).mean for name in ("amp", "fista")]
    assert ends[0].loss == pytest.approx(ends[1].loss, rel=1e-6)
    assert ends[0].q == pytest.approx(ends[1].q, rel=1e-4)
    coloured = problem_from(**BASE, token_covariance="atoms:0.25/1.75")
    with pytest.raises(BadInput, match=r"^token_covariance = 'atoms:0.25/1.75'.*isotropic tokens"):
        simulate(coloured, d=12, algorithm="amp", paired=False)
