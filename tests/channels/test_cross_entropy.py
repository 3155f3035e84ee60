"""Cross-entropy: the table of section 18, both ways to integrate, and what is reported of rows."""

# Name spaces of functions are classes, and matrices are of several kinds here.
# pyright: reportArgumentType=false
from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from attlas.model import (
    BadInput,
    BayesOptimal,
    Factorised,
    KLChannel,
    NextTokenChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
)
from attlas.solver import solve
from attlas.solver.channels import channel_kernel
from attlas.solver.channels.row_errors import row_errors
from attlas.solver.order_parameters import Overlaps
from attlas.symbolic.channels.softmax import Softmax


def problem(alpha="1/2", lam="0.3", channel=None, **changes) -> Problem:
    return Problem(
        alpha=alpha,
        target=changes.pop("target", Wishart("1/2")),
        channel=channel or NextTokenChannel(),
        estimator=Factorised(lam),
    )


#: theory.md section 18, to the digits it is printed with.
KEYS = ["q", "m", "sigma", "delta", "epsilon", "rank_fraction", "train_error", "loss", "mse"]
TABLE = {
    ("0.5", "0.3"): ".83691455 .88535470 .55137651 1.2254721 .93351857 .41849142 .71418591 "
    ".50155194 .56620515",
    ("1", "0.3"): "1.194618 1.181808 .3640791 .8256006 .4211676 .5193383 .7543614 .9416280 "
    ".3310030",
    # Four digits were computed.
    ("2", "0.1"): "1.9328 1.5894 .2543 .5680 .0655 .6459 .7929 1.6716 .2539",
}


@pytest.mark.parametrize("at", TABLE)
def test_the_table(at) -> None:
    solution = solve(problem(*at), rtol=1e-8)
    for key, text in zip(KEYS, TABLE[at].split(), strict=True):
        unit = 10.0 ** -len(text.partition(".")[2])
        assert getattr(solution, key) == pytest.approx(float(text), abs=1.2 * unit), key
        assert getattr(solution.error, key) < 1e-7, key


def scores_of(tokens: int, size: int, *strengths) -> np.ndarray:
    """Symmetric scores of the given strengths, from independent whitened draws."""
    basis = np.array(Softmax(tokens).basis, dtype=float)
    place = {pair: k for k, pair in enumerate(Softmax(tokens).pairs)}
    order = [[place[min(a, b), max(a, b)] for b in range(tokens)] for a in range(tokens)]
    draws = np.random.default_rng(7).standard_normal((len(strengths), basis.shape[1], size))
    return np.stack([(basis @ z)[order] for z in draws])


@pytest.mark.parametrize("tokens", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_keys_of_rows_and_the_test_error_are_means_over_draws(tokens) -> None:
    q, m, q0, noise, size = 0.8, 0.7, 1.5, 0.3, 200_000
    hard = NextTokenChannel(tokens, "1.4", "0.9", noise)
    first, second, third = scores_of(tokens, size, 0, 0, 0)
    h = q**0.5 * first
    clean = m / q**0.5 * first + (q0 - m * m / q) ** 0.5 * second
    noisy = clean + (noise / 2) ** 0.5 * third
    p, best = softmax(0.9 * noisy, axis=1), h.argmax(axis=1)
    chances = np.take_along_axis(p, best[:, None], axis=1)
    guess = softmax(1.4 * h, axis=1)
    drawn = {
        "accuracy": chances.mean(axis=(0, 1)),
        "square": np.sum((softmax(0.9 * clean, axis=1) - guess) ** 2, axis=(0, 1)),
    }
    for key, value in row_errors(hard, channel_kernel(hard.attention), q, m, q0, None).items():
        assert value == pytest.approx(drawn[key].mean(), abs=5 * drawn[key].std() / size**0.5), key
    cross = -np.sum(p * np.log(guess), axis=(0, 1))
    own = np.sum(p * np.log(p), axis=(0, 1))
    for channel, sample in (
        (hard, cross),
        (KLChannel(tokens, "1.4", "0.9", noise), cross + own),
    ):
        found = channel_kernel(channel).test_errors(q, m, q0)
        assert found.noisy == pytest.approx(sample.mean(), abs=5 * sample.std() / size**0.5)


@pytest.mark.parametrize("tokens", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_derivatives_are_those_of_the_energy(tokens) -> None:
    kernel, at, signal = (
        channel_kernel(NextTokenChannel(tokens, "1.3", "0.8")),
        (0.9, 0.7, 0.6),
        1.2,
    )
    level, step = (3, 1e-4) if tokens == 2 else (2, 1e-3)
    found = kernel.moments(Overlaps(*at), signal, level)
    for index, key in enumerate(("d_q", "d_m", "d_sigma")):
        ends = []
        for sign in (1, -1):
            moved = list(at)
            moved[index] += sign * step
            ends.append(kernel.moments(Overlaps(*moved), signal, level).energy)
        slope = (ends[0] - ends[1]) / (2 * step)
        # Of randomised nodes the forms agree in the mean alone.
        assert getattr(found, key) == pytest.approx(slope, rel=1e-6 if tokens == 2 else 0.02), key


def test_soft_labels_teach_more_than_what_is_drawn_from_them() -> None:
    drawn, soft = solve(problem()), solve(problem(channel=KLChannel()), rtol=1e-5)
    assert soft.mse < drawn.mse
    assert soft.test_error < drawn.test_error
    assert soft.accuracy > drawn.accuracy


@pytest.mark.slow
def test_three_tokens_solve() -> None:
    three, two = solve(problem(channel=NextTokenChannel(3)), rtol=0.03), solve(problem())
    assert three.error.q < 0.03 * three.q
    # A sequence of three tokens shows five combinations of scores, not two.
    assert three.mse + three.error.mse < two.mse


def test_without_penalty_soft_labels_are_interpolated_as_any_labels_are() -> None:
    at = {"alpha": "0.1", "lam": 0}
    soft = solve(problem(channel=KLChannel(), **at))
    square = solve(problem(channel=SoftmaxChannel(), **at))
    for key in ("q", "m", "mse"):
        assert getattr(soft, key) == pytest.approx(getattr(square, key), rel=1e-9)
    assert soft.test_square == pytest.approx(square.test_error, abs=1e-8)
    assert soft.train_error == 0


def test_the_bayes_reference_is_refused() -> None:
    for channel in (KLChannel(), NextTokenChannel()):
        with pytest.raises(BadInput, match="derived for squared losses"):
            solve(problem(channel=channel).with_(estimator=BayesOptimal()))
