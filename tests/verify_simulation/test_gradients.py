"""Hand-written gradients against automatic differentiation of an independent loss."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
import torch

from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.losses import Objective

D, P, N = 9, 5, 14
CASES = [
    (tokens, task, centring)
    for tokens in (1, 2, 3)
    for task in ("seq2lab", "seq2seq")
    for centring in ("trace", "average")
    if not (tokens == 1 and task == "seq2seq")
]


def plain_loss(problem, data, s, centring):
    """Data term written as in theory.md section 1, one einsum a line, for autograd."""
    x, labels = torch.from_numpy(data.x), torch.from_numpy(data.labels)
    d, tokens = x.shape[2], x.shape[1]
    scores = torch.einsum("nai,ij,nbj->nab", x, s, x) / sqrt(d)
    if centring == "average":
        scores = scores - scores.mean(dim=0)
    else:
        scores = scores - torch.eye(tokens, dtype=s.dtype) * torch.trace(s) / sqrt(d)
    if tokens == 1:
        return ((labels - scores) ** 2).sum()
    residual = labels - torch.softmax(float(problem.channel.beta) * scores, dim=2)
    if problem.task == "seq2seq":
        return ((residual @ x) ** 2).sum() / d
    return (residual**2).sum()


@pytest.fixture
def drawn(make_problem):
    def draw(tokens, task, centring):
        problem = make_problem(tokens=tokens, task=task, noise="0.3", beta="1.2", beta0="0.8")
        data = draw_data(problem, draw_teacher(problem.target, D, 3), N, 3, centring=centring)
        return problem, data, Objective.build(problem, data, lam=0.37, centring=centring)

    return draw


@pytest.mark.parametrize(("tokens", "task", "centring"), CASES)
def test_gradient_in_the_factor(drawn, tokens, task, centring):
    problem, data, objective = drawn(tokens, task, centring)
    w = torch.from_numpy(np.random.default_rng(1).standard_normal((D, P))).requires_grad_()
    expected = plain_loss(problem, data, w @ w.mT / sqrt(P * D), centring) + 0.37 * (w**2).sum()
    expected.backward()
    value, gradient = objective.value_and_gradient(w.detach())
    assert float(value) == pytest.approx(expected.item(), rel=1e-13)
    torch.testing.assert_close(gradient, w.grad, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("tokens", "task", "centring"), CASES)
def test_gradient_in_the_map(drawn, tokens, task, centring):
    problem, data, objective = drawn(tokens, task, centring)
    a = np.random.default_rng(2).standard_normal((D, D))
    s = torch.from_numpy((a + a.T) / 2).requires_grad_()
    expected = plain_loss(problem, data, s, centring) + 2.5 * torch.trace(s)
    expected.backward()
    assert s.grad is not None
    value, gradient = objective.value_and_gradient_of_map(s.detach(), 2.5)
    assert float(value) == pytest.approx(expected.item(), rel=1e-13)
    torch.testing.assert_close(gradient, (s.grad + s.grad.mT) / 2, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("tokens", "task", "centring"), CASES)
@pytest.mark.parametrize("samples", [1, 3, 5])
def test_blocks_of_samples_add_up(drawn, monkeypatch, tokens, task, centring, samples):
    """A cache of few rows changes nothing but the order of the sum."""
    _, _, objective = drawn(tokens, task, centring)
    rng = np.random.default_rng(5)
    w = torch.from_numpy(rng.standard_normal((D, P)))
    values, vectors = torch.from_numpy(rng.standard_normal(P)), w
    ways = (
        lambda: objective.value_and_gradient(w),
        lambda: objective.value_and_gradient_of_map(w @ w.mT, 0.2),
        lambda: objective.value_and_gradient_of_factors(values, vectors),
    )
    whole = [way() for way in ways]
    monkeypatch.setattr("attlas.verify.training.losses.objective._CACHE", samples * tokens * P * 8)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    if centring == "trace":
        blocks = []
        block = Objective._block
        monkeypatch.setattr(
            Objective, "_block", lambda self, one: blocks.append(one) or block(self, one)
        )
    for way, (value, gradient) in zip(ways, whole, strict=True):
        found, its = way()
        assert float(found) == pytest.approx(float(value), rel=1e-12)
        torch.testing.assert_close(its, gradient, rtol=1e-11, atol=1e-11)
    if centring == "trace":
        assert len(blocks) >= 3 * (N // samples)
        assert blocks[0] == slice(0, samples)


def test_penalty_is_a_nuclear_norm(drawn):
    """theory.md section 2: L(W) equals the penalised loss at S = W W^T/sqrt(p d)."""
    _, _, objective = drawn(3, "seq2lab", "trace")
    w = torch.from_numpy(np.random.default_rng(4).standard_normal((D, P)))
    s = w @ w.mT / sqrt(P * D)
    in_w, _ = objective.value_and_gradient(w)
    in_s, gradient = objective.value_and_gradient_of_map(s, sqrt(P * D) * objective.lam)
    nuclear = torch.linalg.matrix_norm(s, ord="nuc")
    assert float(in_w) == pytest.approx(float(in_s), rel=1e-13)
    assert float((w**2).sum()) == pytest.approx(sqrt(P * D) * float(nuclear), rel=1e-13)
    _, gradient_w = objective.value_and_gradient(w)
    torch.testing.assert_close(gradient_w, 2 * gradient @ w / sqrt(P * D), rtol=1e-11, atol=1e-11)
