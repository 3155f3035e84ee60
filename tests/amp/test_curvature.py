"""The expansion of the loss in the pairs of scores, and the metric of a sample."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attlas.verify.training.amp.curvature import expand
from attlas.verify.training.amp.metric import mean_metric, sample_metric
from attlas.verify.training.amp.pairs import pairs
from attlas.verify.training.losses.misfit import LossMisfit

CASES = [
    {"tokens": 1, "noise": "0.2"},
    {"tokens": 2},
    {"tokens": 3, "beta": "1.5", "beta0": "0.7"},
    {"tokens": 3, "task": "seq2seq"},
]


@pytest.mark.parametrize("flat", CASES)
def test_gradient_and_hessian_are_derivatives(make_training, flat):
    training = make_training(8, **flat)
    misfit = training.objective().misfit
    tokens = training.data.x.shape[1]
    layout, index = pairs(tokens), torch.arange(training.data.x.shape[0])
    rng = np.random.default_rng(0)
    h = torch.from_numpy(rng.standard_normal((len(index), layout.size)))
    direction = torch.from_numpy(rng.standard_normal((len(index), layout.size)))
    width = 1e-5
    ahead, back, here = (
        expand(misfit, layout.scores(h + sign * width * direction), index) for sign in (1, -1, 0)
    )
    slope = (ahead.value - back.value) / (2 * width)
    torch.testing.assert_close(slope, (here.gradient * direction).sum(1), rtol=1e-6, atol=1e-8)
    bend = (ahead.gradient - back.gradient) / (2 * width)
    expected = (here.hessian @ direction[..., None])[..., 0]
    torch.testing.assert_close(bend, expected, rtol=1e-6, atol=1e-8)
    assert float(torch.linalg.eigvalsh(here.positive).min()) > -1e-12


@pytest.mark.parametrize("flat", CASES[:3])
def test_automatic_derivatives_are_those_by_hand(make_training, flat):
    training = make_training(8, **flat)
    by_hand, channel = training.objective().misfit, training.problem.channel
    layout, index = pairs(channel.tokens), torch.arange(0, len(training.data.x[0]), 3)
    h = torch.from_numpy(np.random.default_rng(0).standard_normal((len(index), layout.size)))
    own = LossMisfit(by_hand.labels, channel)
    found, right = (expand(one, layout.scores(h), index) for one in (own, by_hand))
    for key in ("value", "gradient", "hessian"):
        torch.testing.assert_close(getattr(found, key), getattr(right, key), rtol=1e-9, atol=1e-12)
    assert float(torch.linalg.eigvalsh(found.positive - found.hessian).min()) > -1e-12
    assert float(torch.linalg.eigvalsh(found.positive).min()) > -1e-12


@pytest.mark.parametrize("tokens", [1, 2, 3])
def test_metric_of_a_sample_is_the_gram_matrix_of_its_measurements(tokens):
    """D = (2/d) <Z_p, Z_p'>, from the definition of Z."""
    d, rng = 7, np.random.default_rng(1)
    x = rng.standard_normal((tokens, 2, d))
    layout = pairs(tokens)
    built = sample_metric(torch.from_numpy(x)).covariance.numpy()
    for sample in range(2):
        z = [
            (np.outer(x[a, sample], x[b, sample]) + np.outer(x[b, sample], x[a, sample])) / 2
            - (np.eye(d) if a == b else 0)
            for a, b in zip(layout.first, layout.second, strict=True)
        ]
        expected = [[2 / d**2 * np.vdot(one, other) for other in z] for one in z]
        np.testing.assert_allclose(built[sample], expected, rtol=1e-12, atol=1e-13)


def test_metric_of_long_tokens_is_their_mean():
    x = torch.from_numpy(np.random.default_rng(2).standard_normal((2, 400, 600)))
    mean = mean_metric(2, x).covariance[0]
    torch.testing.assert_close(sample_metric(x).covariance.mean(0), mean, rtol=0.03, atol=0.03)
