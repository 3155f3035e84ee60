# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""The loss of a channel, written once: as hand-written misfit, as tensors, as symbols."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
import torch

from attlas.model import Channel, LinearChannel, SoftmaxChannel
from attlas.symbolic.channels import channel_loss
from attlas.verify.data.sequences import labels_of
from attlas.verify.training.losses.misfit import LossMisfit, misfit_of


class LogCosh(Channel):
    """A smooth loss of three scores, without a misfit of its own."""

    name = "log-cosh"
    tokens = 2

    def loss(self, labels, scores, f):
        pairs = [(0, 0), (0, 1), (1, 1)]
        return sum(f.log(f.cosh(labels[a][b] - scores[a][b])) for a, b in pairs)


CHANNELS = (
    LinearChannel(noise=1),
    SoftmaxChannel(2, beta="1.3", beta0="0.7"),
    SoftmaxChannel(3, beta="0.6", beta0="1.1"),
    LogCosh(),
)


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda c: f"{c.name}-{c.tokens}")
def test_misfits_are_the_symbolic_loss_and_its_gradient(channel) -> None:
    size, rng = channel.tokens, np.random.default_rng(5)
    raw = rng.standard_normal((2, 6, size, size))
    behind, scores = raw + raw.swapaxes(2, 3)
    labels = torch.from_numpy(
        labels_of(channel, behind, np.random.default_rng(5)).transpose(1, 2, 0).copy()
    )
    h = torch.from_numpy(scores.transpose(1, 2, 0).copy())
    misfit = misfit_of(channel, labels, torch.zeros(size, 6, 4), "seq2lab")
    assert isinstance(misfit, LossMisfit) == isinstance(channel, LogCosh)
    value, gradient = misfit(h)
    by_loss, by_autograd = LossMisfit(labels, channel)(h)
    assert float(value) == pytest.approx(float(by_loss), rel=1e-12)
    torch.testing.assert_close(gradient, by_autograd, rtol=1e-11, atol=1e-13)
    assert float(misfit.per_sample(h).sum()) == pytest.approx(float(value), rel=1e-12)
    loss = channel_loss(channel)
    names = {"beta": getattr(channel, "beta", 1), "beta0": getattr(channel, "beta0", 1)}
    pairs = [(a, b) for a in range(size) for b in range(a, size)]
    for sample in range(6):
        at = {sp.Symbol(k, positive=True): sp.Rational(str(v)) for k, v in names.items()}
        for letter, matrix in (("z", behind), ("h", scores)):
            for a, b in pairs:
                at[sp.Symbol(f"{letter}_{a + 1}{b + 1}", real=True)] = matrix[sample, a, b]
        numbers = {s: at[s] for s in loss.free_symbols}
        assert float(misfit.per_sample(h)[sample]) == pytest.approx(
            float(loss.subs(numbers)), rel=1e-11
        )
        for a, b in pairs:
            entry = sp.Symbol(f"h_{a + 1}{b + 1}", real=True)
            expected = float(sp.diff(loss, entry).subs(numbers))
            found = float(gradient[a, b, sample] + (gradient[b, a, sample] if a != b else 0))
            assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
