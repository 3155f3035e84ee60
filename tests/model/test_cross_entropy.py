"""Cross-entropy: the losses, the law of the labels, and what both are in other arithmetics."""

# Name spaces of functions are classes, and matrices are of several kinds here.
# pyright: reportArgumentType=false
from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
import torch

from attlas.model import BadInput, KLChannel, NextTokenChannel, SoftmaxChannel, problem_from
from attlas.model.channels.functions import Plain
from attlas.solver.channels.functions import Arrays
from attlas.symbolic.channels.loss import Symbols
from attlas.verify.training.losses.misfit import Tensors

Z = [[0.3, -1.1, 0.4], [-1.1, 2.0, 0.9], [0.4, 0.9, -0.7]]
H = [[1.0, 0.2, -0.3], [0.2, -0.5, 0.8], [-0.3, 0.8, 0.1]]


def softmax(row, beta):
    weights = [math.exp(beta * entry) for entry in row]
    return [weight / sum(weights) for weight in weights]


def test_the_losses_are_what_they_are_called() -> None:
    hard, soft = NextTokenChannel(3, "1.5", "0.7"), KLChannel(3, "1.5", "0.7")
    p = [softmax(row, 0.7) for row in Z]
    guess = [softmax(row, 1.5) for row in H]
    chosen = hard.outcomes[5]  # tokens 0, 1, 2 of the three rows
    assert hard.loss(chosen, H, Plain) == pytest.approx(
        -sum(math.log(guess[a][b]) for a, b in enumerate((0, 1, 2)))
    )
    divergence = sum(p[a][b] * math.log(p[a][b] / guess[a][b]) for a in range(3) for b in range(3))
    assert soft.loss(soft.labels(Z, Plain), H, Plain) == pytest.approx(divergence)
    assert soft.attention == hard.attention == SoftmaxChannel(3, "1.5", "0.7")
    # Hard labels cost, on average, the divergence and the entropy of the labels.
    entropy = -sum(x * math.log(x) for row in p for x in row)
    mean = sum(
        weight * hard.loss(y, H, Plain)
        for weight, y in zip(hard.probabilities(Z, Plain), hard.outcomes, strict=True)
    )
    assert mean == pytest.approx(divergence + entropy)


def test_probabilities_are_those_of_independent_rows() -> None:
    channel = NextTokenChannel(3, 1, 2)
    weights = channel.probabilities(Z, Plain)
    assert len(weights) == len(channel.outcomes) == 27
    assert sum(weights) == pytest.approx(1)
    rows = np.array([softmax(row, 2) for row in Z])
    mean = sum(w * np.array(y) for w, y in zip(weights, channel.outcomes, strict=True))
    assert mean == pytest.approx(rows)
    both = sum(w for w, y in zip(weights, channel.outcomes, strict=True) if y[0][2] and y[1][0])
    assert both == pytest.approx(rows[0, 2] * rows[1, 0])


def test_one_loss_in_every_arithmetic_and_no_overflow() -> None:
    for channel in (NextTokenChannel(3), KLChannel(3)):
        expected = channel.loss(channel.labels(Z, Plain), H, Plain)
        assert float(channel.loss(channel.labels(Z, Symbols), H, Symbols)) == pytest.approx(
            expected
        )
        for f, read in ((Arrays, np.array), (Tensors, torch.tensor)):
            z, h = (read([[[entry] for entry in row] for row in matrix]) for matrix in (Z, H))
            assert float(channel.loss(channel.labels(z, f), h, f)[0]) == pytest.approx(expected)
        far = [[5000.0 * entry for entry in row] for row in H]
        for f, read in ((Plain, list), (Arrays, np.array), (Tensors, torch.tensor)):
            assert math.isfinite(channel.loss(channel.labels(read(Z), f), read(far), f))
    assert (
        sp.simplify(sp.Add(*NextTokenChannel(2).probabilities([[sp.Symbol("a")] * 2] * 2, Symbols)))
        == 1
    )


def test_flags_and_what_does_not_go_together() -> None:
    base = {"alpha": 1, "lam": "0.3", "kappa0": "1/2"}
    assert problem_from(channel="next-token", **base).channel == NextTokenChannel()
    assert problem_from(channel="kl", tokens=3, beta=2, **base).channel == KLChannel(3, 2)
    with pytest.raises(BadInput, match="seq2lab for the next-token channel"):
        problem_from(channel="next-token", task="seq2seq", **base)
    with pytest.raises(BadInput, match="2 or more"):
        problem_from(channel="kl", tokens=1, **base)
