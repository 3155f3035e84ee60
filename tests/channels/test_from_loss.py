# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false
"""Kernels made from a loss: beside the ones written by hand, closed forms, and trained heads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from attlas.model import (
    BadInput,
    Channel,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
)
from attlas.model.channels.functions import Plain
from attlas.solver import solve
from attlas.solver.channels import channel_kernel
from attlas.solver.order_parameters import Overlaps
from attlas.solver.spectrum import target_law
from attlas.symbolic import notation as sym
from attlas.symbolic.evaluate import evaluate
from attlas.verify.simulation.simulate import simulate
from tests.symbolic.own_channels import ABSOLUTE, Absolute

AT = (Overlaps(q=0.9, m=0.7, sigma=0.6), Overlaps(q=0.4, m=0.5, sigma=0.2))


class OwnLinear(LinearChannel):
    """The linear channel as a user writes it."""

    name = "own-linear"
    convex = True

    def loss(self, labels, scores, f):  # noqa: ARG002
        return (labels[0][0] - scores[0][0]) ** 2


class OwnSoftmax(SoftmaxChannel):
    """The softmax channel as a user writes it."""

    name = "own-softmax"

    def loss(self, labels, scores, f):
        return super().loss(labels, scores, f)


@dataclass(frozen=True)
class Quartic(Channel):
    """r^4."""

    noise: Fraction = Fraction(0)
    name = "quartic"
    convex = True

    def loss(self, labels, scores, f):  # noqa: ARG002
        return (labels[0][0] - scores[0][0]) ** 4


@dataclass(frozen=True)
class Huber(Channel):
    """Quadratic up to a width, linear beyond."""

    width: Fraction = Fraction(1)
    name = "huber"
    convex = True

    def loss(self, labels, scores, f):
        r, w = abs(labels[0][0] - scores[0][0]), f.number(self.width)
        return f.where(r <= w, r**2 / 2, w * (r - w / 2))


class Pinball(Channel):
    """Three to one, with a kink at a fit."""

    name = "pinball"
    convex = True

    def loss(self, labels, scores, f):
        r = labels[0][0] - scores[0][0]
        return f.maximum(3 * r, -r)


class Saturated(Channel):
    """Labels tanh z: more than a residual, and not convex."""

    name = "saturated"

    def labels(self, scores, f):
        return [[f.tanh(scores[0][0])]]

    def loss(self, labels, scores, f):
        return (labels[0][0] - f.tanh(scores[0][0])) ** 2


class Squares(Channel):
    """All three scores of two tokens, each with its own weight."""

    name = "squares"
    tokens = 2

    def loss(self, labels, scores, f):  # noqa: ARG002
        weights = {(0, 0): 1, (0, 1): 3, (1, 1): 2}
        return sum(k * (labels[a][b] - scores[a][b]) ** 2 for (a, b), k in weights.items())


def same(found, right, rel) -> None:
    for key, value in vars(right).items():
        right_value = None if value is None else pytest.approx(value, rel=rel, abs=1e-12)
        assert getattr(found, key) == right_value, key


def test_it_is_the_kernel_written_by_hand() -> None:
    for at in AT:
        own, right = (channel_kernel(c) for c in (OwnLinear("0.3"), LinearChannel("0.3")))
        same(own.moments(at, 1.65, own.finest), right.moments(at, 1.65, 0), 1e-12)
        same(own.test_errors(at.q, at.m, 1.5), right.test_errors(at.q, at.m, 1.5), 1e-12)
    given = {"beta": "1.2", "beta0": "0.8", "noise": "0.3"}
    own, right = channel_kernel(OwnSoftmax(2, **given)), channel_kernel(SoftmaxChannel(2, **given))
    same(own.moments(AT[1], 1.65, 4), right.moments(AT[1], 1.65, 6), 1e-5)
    same(own.test_errors(0.4, 0.5, 1.5), right.test_errors(0.4, 0.5, 1.5), 1e-9)


@pytest.mark.parametrize(
    ("own", "built_in", "rtol"),
    [(OwnLinear("0.2"), LinearChannel("0.2"), 1e-6), (OwnSoftmax(2), SoftmaxChannel(2), 1e-4)],
    ids=["linear", "softmax"],
)
def test_solutions_agree_within_their_error_bars(own, built_in, rtol) -> None:
    def solved(channel, rtol):
        parts = {"target": Wishart("1/2"), "estimator": Factorised("0.1"), "alpha": "0.3"}
        return solve(Problem(channel=channel, **parts), rtol=rtol)

    found, right = solved(own, rtol), solved(built_in, 1e-6)
    for key, value in right.present().items():
        bar = getattr(found.error, key) + getattr(right.error, key)
        assert abs(getattr(found, key) - value) <= bar + 1e-14, key


def test_kinks_are_integrated_exactly() -> None:
    """|r| has Huber's function as its envelope, and M closed with error functions."""
    closed, kernel = ABSOLUTE.closed_form, channel_kernel(Absolute())
    for at in AT:
        point = {"q": at.q, "m": at.m, "sigma": at.sigma, "q_label": 1.5}
        found = kernel.moments(at, 1.5, kernel.finest)
        assert found.energy == pytest.approx(evaluate(closed, point), rel=1e-12)
        for key in ("sigma", "m", "q"):
            slope = evaluate(sp.diff(closed, sym.notation(key).symbol), point)
            assert getattr(found, f"d_{key}") == pytest.approx(slope, rel=1e-11)


@pytest.mark.parametrize("channel", [Quartic(), Huber("0.7"), Pinball()], ids=lambda c: c.name)
def test_a_mean_envelope_and_its_slopes_are_the_definition(channel) -> None:
    """Against minimisation on a grid of residuals, and differences of M."""
    kernel, at, signal = channel_kernel(channel), AT[0], 1.5
    found = kernel.moments(at, signal, kernel.finest)
    deviation = (2 * (signal - 2 * at.m + at.q)) ** 0.5
    r = np.linspace(-9, 9, 20_001)
    loss = np.array([channel.loss([[x]], [[0.0]], Plain) for x in r])
    e = np.linspace(-7, 7, 401)
    cost = loss[:, None] + (r[:, None] - deviation * e) ** 2 / (4 * at.sigma)
    weight = np.exp(-0.5 * e**2)
    best = np.argmin(cost, axis=0)
    mean = np.sum(weight * cost[best, np.arange(e.size)]) / weight.sum()
    assert found.energy == pytest.approx(mean, rel=1e-5)
    assert found.train_error == pytest.approx(np.sum(weight * loss[best]) / weight.sum(), rel=3e-3)
    slopes_are_differences(kernel, at, signal, kernel.finest, 1e-6)


def slopes_are_differences(kernel, at, signal, level, rel) -> None:
    for key in ("sigma", "m", "q"):
        step = 1e-4
        ahead, behind = (
            kernel.moments(
                Overlaps(**{**{k: getattr(at, k) for k in ("q", "m", "sigma")}, key: value}),
                signal,
                level,
            ).energy
            for value in (getattr(at, key) + step, getattr(at, key) - step)
        )
        slope = getattr(kernel.moments(at, signal, level), f"d_{key}")
        assert slope == pytest.approx((ahead - behind) / (2 * step), rel=rel)


def test_labels_that_are_more_than_scores() -> None:
    kernel = channel_kernel(Saturated())
    slopes_are_differences(kernel, AT[1], 1.5, 5, 1e-5)
    fresh = kernel.test_errors(0.4, 0.5, 1.5).clean
    rng = np.random.default_rng(1)
    z = (2 * 1.5) ** 0.5 * rng.standard_normal(400_000)
    h = (0.5 / 1.5) * z + (2 * (0.4 - 0.25 / 1.5)) ** 0.5 * rng.standard_normal(z.size)
    values = (np.tanh(z) - np.tanh(h)) ** 2
    assert fresh == pytest.approx(values.mean(), abs=5 * values.std() / z.size**0.5)


def test_three_scores_of_two_tokens() -> None:
    """Squares: M is a sum over scores of variance c V, c = 1 + delta_ab."""
    channel, at, signal = Squares(), AT[0], 1.5
    assert channel.label_rank == 3
    kernel = channel_kernel(channel)
    found, v = kernel.moments(at, signal, 5), signal - 2 * at.m + at.q
    parts = [(weight, c) for weight, c in ((1, 2), (3, 1), (2, 2))]
    energy = sum(k * c * v / (1 + 2 * k * c * at.sigma) for k, c in parts)
    response = sum((2 * k * c / (1 + 2 * k * c * at.sigma)) ** 2 for k, c in parts)
    assert found.energy == pytest.approx(energy, rel=2e-3)
    assert found.d_q == pytest.approx(energy / v, rel=5e-3)
    assert found.response == pytest.approx(response, rel=1e-12)
    assert kernel.test_errors(at.q, at.m, signal).clean == pytest.approx(
        sum(k * c * v for k, c in parts), rel=2e-3
    )


def quartic_by_hand(alpha: float, lam: float, noise: float) -> dict[str, float]:
    """The six equations of r^4, with the proximal residual in radicals and a plain sum."""
    x = np.linspace(-9, 9, 3001)
    w = np.exp(-0.5 * x**2)
    w = w / w.sum()
    law = target_law(Wishart("1/2"))
    q = m = sigma = 0.5
    for _ in range(500):
        v = law.q0 + noise / 2 - 2 * m + q
        e = (2 * v) ** 0.5 * x
        # r + 8 sigma r^3 = e, by Cardano.
        half, third = e / (16 * sigma), 1 / (24 * sigma)
        root = np.sqrt(half**2 + third**3)
        r = np.cbrt(half + root) + np.cbrt(half - root)
        q_hat = 4 * alpha * np.sum(w * (4 * r**3) ** 2)
        m_hat = 4 * alpha * np.sum(w * 4 * r**3 * e) / (2 * v)
        delta, epsilon = q_hat**0.5 / m_hat, 2 * lam / m_hat
        found = law.noisy(delta).truncated(epsilon)
        new = (
            found.j,
            found.j - (delta * found.j1 + epsilon * found.j2) / 2,
            found.j1 / (2 * delta * m_hat),
        )
        q, m, sigma = (0.5 * a + 0.5 * b for a, b in zip((q, m, sigma), new, strict=True))
    fresh = 12 * (law.q0 + noise / 2 - 2 * m + q) ** 2
    return {"q": q, "m": m, "sigma": sigma, "train_error": np.sum(w * r**4), "test_error": fresh}


def test_quartic_beside_its_equations_by_hand_and_trained_heads() -> None:
    problem = Problem(
        alpha="0.4", target=Wishart("1/2"), channel=Quartic("1/5"), estimator=Factorised("0.1")
    )
    found = solve(problem)
    for key, value in quartic_by_hand(0.4, 0.1, 0.2).items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-6), key
    # As for every channel, these are within a few per cent of their limit at this size.
    heads = simulate(problem, d=32, seeds=4)
    for key in ("q", "m", "loss", "train_error"):
        off = [run.deviations()[key] for run in heads.runs]
        assert abs(np.mean(off)) < 4 * np.std(off, ddof=1) / len(off) ** 0.5 + 0.05, key
    assert "the quartic loss is convex" in heads.promise


def test_huber_beside_trained_heads_on_two_roads() -> None:
    problem = Problem(
        alpha="0.4", target=Wishart("1/2"), channel=Huber("0.7"), estimator=Factorised("0.1")
    )
    runs = [simulate(problem, d=32, seeds=2, algorithm=one).runs for one in ("amp", "fista")]
    for by_messages, by_gradients in zip(*runs, strict=True):
        assert by_messages.observables.loss == pytest.approx(
            by_gradients.observables.loss, rel=1e-9
        )
    for key in ("q", "m", "loss", "train_error"):
        off = [run.deviations()[key] for run in runs[0]]
        assert abs(np.mean(off)) < 4 * np.std(off, ddof=1) / len(off) ** 0.5 + 0.05, key


def pinball_head(d: int, seed: int, alpha: float, lam: float) -> dict[str, float]:
    """The minimum for the kinked loss: a primal and a dual iterate, nothing smoothed."""
    rng = np.random.default_rng(seed)
    factor, n = rng.standard_normal((d, d // 2)), round(alpha * d * d)
    target = factor @ factor.T / math.sqrt(d * d / 2)
    x = rng.standard_normal((n, d))
    features = ((np.einsum("ni,nj->nij", x, x) - np.eye(d)) / math.sqrt(d)).reshape(n, d * d)
    y = features @ target.ravel()
    step = 0.95 / math.sqrt(np.linalg.eigvalsh(features @ features.T)[-1])
    s, dual = np.zeros((d, d)), np.zeros(n)
    for _ in range(600):
        values, vectors = np.linalg.eigh(s + step * (features.T @ dual).reshape(d, d))
        new = (vectors * np.maximum(values - step * d * lam, 0)) @ vectors.T
        dual = np.clip(dual + step * (y - features @ (2 * new - s).ravel()), -1, 3)
        s = new
    r = y - features @ s.ravel()
    loss = np.sum(np.maximum(3 * r, -r)) + d * lam * np.trace(s)
    return {"q": np.sum(s * s) / d, "m": np.sum(s * target) / d, "loss": loss / d**2}


def test_pinball_beside_heads_at_its_kink() -> None:
    estimator = Factorised("0.5")
    theory = solve(
        Problem(alpha="0.4", target=Wishart("1/2"), channel=Pinball(), estimator=estimator)
    )
    heads = [pinball_head(32, seed, 0.4, 0.5) for seed in range(4)]
    for key in heads[0]:
        found = [head[key] for head in heads]
        spread = np.std(found, ddof=1) / 2
        right, bar = getattr(theory, key), getattr(theory.error, key)
        assert bar < 1e-5 * right
        assert abs(np.mean(found) - right) < 4 * spread + 0.04 * right, (key, np.mean(found), right)


class Step(Channel):
    """A kink that points upwards."""

    name = "step"

    def loss(self, labels, scores, f):
        r = abs(labels[0][0] - scores[0][0])
        return f.where(r <= 1, r, 1)


class Bent(Quartic):
    """Not convex, and says that it is."""

    name = "bent"
    convex = True

    def loss(self, labels, scores, f):
        return f.tanh(labels[0][0] - scores[0][0]) ** 2


class Foreign(Channel):
    """Written with a library of numbers."""

    name = "foreign"

    def loss(self, labels, scores, f):  # noqa: ARG002
        return math.cosh(labels[0][0] - scores[0][0])


class Edged(Squares):
    """Two tokens with a kink."""

    name = "edged"

    def loss(self, labels, scores, f):  # noqa: ARG002
        return abs(labels[0][1] - scores[0][1])


class Many(SoftmaxChannel):
    """Three tokens, without a kernel of its own."""

    name = "many"

    def loss(self, labels, scores, f):
        return 2 * super().loss(labels, scores, f)


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        (Step(), "a kink that points upwards at a residual of"),
        (Bent(), "it says convex = True, and its loss is not"),
        (Foreign(), "must be written with the functions of f"),
        (Edged(), "the loss has a kink where"),
        (Many(4), "must be at most 3 for the many channel"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_refusals(channel, said) -> None:
    with pytest.raises(BadInput, match=said):
        channel_kernel(channel)


def test_a_loss_whose_slope_jumps_is_not_trained_by_gradients() -> None:
    problem = Problem(
        alpha="0.4", target=Wishart("1/2"), channel=Pinball(), estimator=Factorised("0.1")
    )
    with pytest.raises(BadInput, match="slope jumps at a residual of 0"):
        simulate(problem, d=16, seeds=1)
