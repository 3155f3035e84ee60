"""A channel that a stranger brings: its fields, its flags, its loss."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest

from attlas.model import (
    BadInput,
    Channel,
    LinearChannel,
    SoftmaxChannel,
    parameters_of,
    problem_from,
    register,
)
from attlas.model.channels import CHANNELS, channel_of, label_strength

BASE = {"alpha": 1, "lam": 1, "kappa0": 1}


@dataclass(frozen=True)
class Huber(Channel):
    """Quadratic up to a width, linear beyond."""

    width: Fraction = Fraction(1)
    noise: Fraction = Fraction(0)
    name = "huber"
    convex = True

    def loss(self, labels, scores, f):
        r, w = abs(labels[0][0] - scores[0][0]), f.number(self.width)
        return f.where(r <= w, r**2 / 2, w * (r - w / 2))


class Sum(Channel):
    """Three scores of two tokens, nothing lost."""

    name = "sum"
    tokens = 2

    def loss(self, labels, scores, f):  # noqa: ARG002
        pairs = [(0, 0), (0, 1), (1, 1)]
        return sum((labels[a][b] - scores[a][b]) ** 4 for a, b in pairs)


@pytest.fixture(autouse=True)
def _registered():
    before = dict(CHANNELS)
    register(Huber)
    register(Sum)
    yield
    CHANNELS.clear()
    CHANNELS.update(before)


def test_its_own_fields_are_flags_and_grammar() -> None:
    problem = problem_from(channel="huber:width=1/3", noise="0.1", **BASE)
    assert problem.channel == Huber(width="1/3", noise="0.1")  # type: ignore[arg-type]
    flat = parameters_of(problem)
    assert (flat["channel"], flat["noise"], flat["tokens"]) == ("huber:width=1/3", "0.1", 1)
    assert problem_from(**flat) == problem
    assert problem_from(channel=Huber(), noise=2, **BASE).channel == Huber(noise=Fraction(2))


def test_the_default_is_not_written_so_that_old_rows_read_as_before() -> None:
    for tokens in (1, 2, 3):
        problem = problem_from(tokens=tokens, **BASE)
        assert problem.channel == channel_of(tokens)
        assert "channel" not in parameters_of(problem)
    assert problem_from(channel="linear", **BASE).channel == LinearChannel()
    assert problem_from(channel="softmax", tokens=3, **BASE).channel == SoftmaxChannel(3)


@pytest.mark.parametrize(
    ("flat", "parameter", "said"),
    [
        ({"channel": "softmax", "tokens": 1}, "tokens", "take `channel=linear`"),
        ({"channel": "linear", "tokens": 2}, "tokens", "it has `tokens=1`"),
        ({"channel": "linear", "beta": 2}, "beta", "no meaning for the linear channel"),
        ({"channel": "huber:w=2"}, "channel huber: key", "expected one of width"),
        ({"channel": "huber:width=x"}, "channel huber: width", "finite number"),
        ({"channel": "huber", "noise": -1}, "noise", "0 or greater"),
        ({"channel": "hubr"}, "channel", "did you mean huber"),
        ({"channel": "sum", "task": "seq2seq"}, "task", "seq2lab for the sum channel"),
    ],
)
def test_refusals(flat, parameter, said) -> None:
    with pytest.raises(BadInput) as caught:
        problem_from(**BASE | flat)
    assert caught.value.parameter == parameter
    assert said in str(caught.value)


def test_a_taken_name_is_refused() -> None:
    class Other(Huber):
        pass

    with pytest.raises(BadInput, match="'huber' is not valid: is taken by another channel"):
        register(Other)
    assert register(Huber) is Huber


def test_another_loss_inherits_no_promise() -> None:
    class Cubic(LinearChannel):
        def loss(self, labels, scores, f):  # noqa: ARG002
            return abs(labels[0][0] - scores[0][0]) ** 3

    assert (LinearChannel.linear, LinearChannel.convex) == (True, True)
    assert (Cubic.linear, Cubic.convex) == (False, False)


def test_what_labels_see_is_tried() -> None:
    class Own(SoftmaxChannel):
        label_rank = Channel.label_rank

    assert [Own(t).label_rank for t in (2, 3, 4)] == [2, 5, 9]
    assert [SoftmaxChannel(t).label_rank for t in (2, 3, 4)] == [2, 5, 9]
    assert (Sum().label_rank, Huber().label_rank) == (3, 1)


def test_the_strength_of_labels() -> None:
    assert label_strength(Fraction(3, 2), Fraction(1, 5)) == Fraction(8, 5)
