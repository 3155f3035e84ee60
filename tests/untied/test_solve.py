"""Heads with queries and keys of their own: the reference table, limits, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

from attlas import (
    BadInput,
    Channel,
    Direct,
    LinearChannel,
    Problem,
    Product,
    SoftmaxChannel,
    Untied,
    Wishart,
    best_lambda,
    dynamics,
    solve,
    spectrum,
)
from attlas.model import Atoms, parameters_of, problem_from
from attlas.model.scores import Scores
from attlas.solver.channels import channel_kernel
from attlas.solver.channels.from_loss.kernel import LossKernel
from attlas.solver.channels.from_loss.line import LineKernel
from attlas.solver.channels.from_loss.score_loss import score_loss
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.order_parameters import Overlaps
from attlas.solver.spectrum import target_law

KEYS = ("q", "m", "sigma", "delta", "epsilon", "rank_fraction", "train_error", "loss", "mse")
#: theory.md section 19; the last of each row is the test error.
TABLE = {
    "0.2": ".4136194 .4391406 39.11233 1.171138 1.199272 .471502 .001475162 .003881094 .535338",
    "0.4": ".6703976 .7794605 17.34518 .365595 .291026 .643618 .000961514 .005370490 .111477",
}
TEST_ERRORS = {"0.2": ".1512092", "0.4": ".0287550"}


def untied(alpha, lam, *, kappa0="1/2", channel=None, **estimator) -> Problem:
    return Problem(
        alpha=alpha,
        target=Product(kappa0),
        channel=channel or SoftmaxChannel(),
        estimator=Untied(lam=lam, **estimator),
    )


@pytest.mark.parametrize("alpha", TABLE)
def test_the_reference_table_holds_to_its_digits(alpha):
    found = solve(untied(alpha, "0.01"), rtol=1e-6)
    known = dict(zip(KEYS, TABLE[alpha].split(), strict=True), test_error=TEST_ERRORS[alpha])
    for key, text in known.items():
        unit = 10.0 ** -len(text.partition(".")[2])
        assert abs(found[key] - float(text)) <= 0.51 * unit + getattr(found.error, key), key


@dataclass(frozen=True)
class Divergence(Channel):
    """A channel of one's own: the Kullback-Leibler divergence of rows of soft labels."""

    tokens: int = 2

    name: ClassVar[str] = "divergence"
    convex: ClassVar[bool] = True

    def labels(self, scores, f):
        return [f.softmax(list(row)) for row in scores]

    def loss(self, labels, scores, f):
        rows = zip(labels, (f.softmax(list(row)) for row in scores), strict=True)
        return sum(
            y * (f.log(y) - f.log(p))
            for row, guess in rows
            for y, p in zip(row, guess, strict=True)
        )


def test_the_reference_of_a_divergence_holds_to_its_digits():
    found = solve(untied("0.4", "0.05", channel=Divergence()), rtol=1e-8)
    known = (
        ".51767931 .66375096 4.6300679 .47099064 .49943613 .53557941 .0089147151 .024198987 "
        ".19017738"
    )
    for key, text in zip(KEYS, known.split(), strict=True):
        unit = 10.0 ** -len(text.partition(".")[2])
        assert abs(found[key] - float(text)) <= 0.51 * unit + getattr(found.error, key), key


def test_penalty_and_width_enter_as_root_kappa_lam():
    channel = LinearChannel(noise="1/2")
    wide = solve(untied("0.3", "0.1", channel=channel))
    other = solve(untied("0.3", "0.05", channel=channel, kappa=4))
    assert wide.loss == pytest.approx(other.loss, rel=1e-12)
    assert wide.q == pytest.approx(other.q, rel=1e-12)


@pytest.mark.parametrize(("alpha", "noise"), [("1.2", "1/2"), ("3", "2")])
def test_ridgeless_beyond_interpolation_is_least_squares(alpha, noise):
    """d^2 unknowns, alpha d^2 equations: error (noise/2)/(alpha - 1), residuals 1 - 1/alpha."""
    a, half = float(Fraction(alpha)), float(Fraction(noise)) / 2
    found = solve(untied(alpha, 0, channel=LinearChannel(noise=noise)))
    assert found.mse == pytest.approx(half / (a - 1), rel=1e-10)
    assert found.train_error == pytest.approx(half * (1 - 1 / a), rel=1e-10)


def test_the_ridgeless_peak_is_infinite_and_at_one_label_for_every_entry():
    noisy = LinearChannel(noise="1/2")
    with pytest.raises(BadInput, match="interpolation threshold"):
        solve(untied(1, 0, channel=noisy))
    a = 0.999
    found = solve(untied(str(a), 0, channel=noisy))
    assert found.train_error == 0
    assert found.mse == pytest.approx(a * found.delta**2 - 0.25, rel=1e-9)
    assert found.mse == pytest.approx(0.25 * (2 * a - 1) / (1 - a), rel=0.02)


def test_a_zero_beyond_the_largest_penalty_and_not_below():
    problem = untied("0.5", "0.1", channel=LinearChannel(noise="1/2"))
    edge = largest_penalty(problem).lam
    inside = solve(problem.with_(estimator=Untied(lam=0.99 * edge)))
    outside = solve(problem.with_(estimator=Untied(lam=1.01 * edge)))
    assert inside.q > 0
    assert outside.q == 0


@pytest.mark.parametrize("delta", [0.05, 0.4, 1.3])
def test_the_law_is_that_of_drawn_singular_values(delta):
    """One map of d = 700; of the law of its own list only Z fluctuates, by order 1/d."""
    d, kappa0 = 700, 0.5
    rng = np.random.default_rng(0)
    w, v = rng.standard_normal((2, d, round(kappa0 * d)))
    s0 = w @ v.T / np.sqrt(w.shape[1] * d)
    drawn = np.linalg.svd(s0 + delta / np.sqrt(d) * rng.standard_normal((d, d)), compute_uv=False)
    law = target_law(Product("1/2"))
    given = target_law(
        problem_from(
            alpha=1, lam=1, training="untied", target=Atoms(np.linalg.svd(s0, compute_uv=False))
        ).target
    )
    for one, share in ((law, 0.01), (given, 0.002)):
        noisy = one.noisy(delta)
        assert one.even
        for epsilon in (0.0, 0.3, 1.5):
            above = noisy.truncated(epsilon)
            j = np.mean(np.maximum(drawn - epsilon, 0) ** 2)
            assert 2 * above.j == pytest.approx(j, abs=share * (1 + delta**2))
            assert 2 * above.mass == pytest.approx(np.mean(drawn > epsilon), abs=0.01)
            both = noisy.both_sides(epsilon)
            assert both.j == pytest.approx(2 * above.j, rel=1e-9, abs=1e-12)
            assert both.mass == pytest.approx(2 * above.mass, rel=1e-9, abs=1e-12)
            error = one.q0 + 2 * above.squared_error_part
            assert both.squared_error == pytest.approx(error, rel=1e-9, abs=1e-11)
            assert both.squared_error_error <= 1e-8 * both.squared_error
    assert law.q0 == 1
    assert law.rank_fraction == 0.5
    # The fourth moment of the product, 2 + 1/kappa0.
    nodes = law.noisy(1e-3).nodes()
    assert np.sum(nodes.w * nodes.x**4) == pytest.approx(4, rel=1e-4)


def test_the_kernel_of_two_keys_agrees_with_a_lattice_of_proximal_problems():
    channel, form = SoftmaxChannel(2, 2, 3, "1/2"), Scores(3, 2, symmetric=False)
    loss = score_loss(channel, form)
    line, lattice = LineKernel(channel, loss), LossKernel(channel, loss)
    overlaps = Overlaps(q=1.5, m=1.0, sigma=4.0)  # where points jump
    one = line.moments(overlaps, 1.25, 4)
    two = lattice.moments(overlaps, 1.25, lattice.finest)
    assert one.multi_minima_weight > 1e-3
    for key in ("energy", "d_sigma", "d_m", "d_q", "train_error"):
        assert getattr(one, key) == pytest.approx(getattr(two, key), rel=5e-3), key  # it scatters
    finer = line.moments(overlaps, 1.25, line.finest)
    for key in ("energy", "d_sigma", "d_m", "d_q", "train_error"):
        assert getattr(one, key) == pytest.approx(getattr(finer, key), rel=1e-5), key
    step = 1e-5  # derivatives are those of the energy, jumps and all
    for name, key in (("sigma", "d_sigma"), ("m", "d_m"), ("q", "d_q")):
        moved = [
            line.moments(
                replace(overlaps, **{name: getattr(overlaps, name) + sign * step}),
                1.25,
                line.finest,
            ).energy
            for sign in (1, -1)
        ]
        assert (moved[0] - moved[1]) / (2 * step) == pytest.approx(getattr(finer, key), rel=1e-4)


def test_masked_self_attention_is_rows_of_one_key_less():
    masked = untied("0.3", "0.1", channel=SoftmaxChannel(3), keys="masked")
    cross = untied("0.3", "0.1", channel=SoftmaxChannel(3), keys=2)
    assert masked.scores == cross.scores
    assert masked.label_rank == 3
    assert untied(1, 1, channel=SoftmaxChannel(2), keys=5).label_rank == 8
    assert untied(1, 1, channel=LinearChannel()).label_rank == 1


def test_three_keys_are_solved_on_a_lattice_and_collapse_onto_two():
    """Scores of a third key that no label sees: rows of three keys see two combinations."""
    kernel = channel_kernel(SoftmaxChannel(2), Scores(2, 3, symmetric=False))
    assert isinstance(kernel, LossKernel)
    basis = kernel.loss.basis[0]
    assert basis.T @ basis == pytest.approx(np.eye(2))
    assert basis.sum(axis=0) == pytest.approx(0)
    moments = kernel.moments(Overlaps(0.3, 0.3, 0.5), 1.0, 2)
    finer = kernel.moments(Overlaps(0.3, 0.3, 0.5), 1.0, 3)
    assert moments.energy == pytest.approx(finer.energy, rel=1e-6)


def test_parameters_are_read_and_written():
    for flat in (
        {"kappa0": "1/2"},
        {"kappa0": "1/2", "keys": "3"},
        {"kappa0": "1/2", "keys": "masked", "tokens": 3},
        {"target": "product:kappa0=0.3"},
        {"target": "atoms:2/1.5/0"},
    ):
        problem = problem_from(training="untied", alpha="0.2", lam="0.01", kappa="0.7", **flat)
        assert problem_from(**parameters_of(problem)) == problem


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: untied(1, 1, keys="self"), "keys = 'self'.*mask the diagonal"),
        (lambda: untied(1, 1, keys="masked"), "tokens = 2.*3 or more"),
        (lambda: untied(1, 1, keys=1), "keys = 1.*2 or more"),
        (lambda: untied(1, 1, channel=LinearChannel(), keys=2), "keys = 2.*must be 1"),
        (lambda: untied(1, 1, keys="half"), "keys = 'half'"),
        (lambda: untied(1, -1), "lam = -1"),
        (
            lambda: untied(1, 1).with_(target=Wishart("1/2")),
            "wishart:kappa0=0.5'.*product",
        ),
        (lambda: untied(1, 1).with_(estimator=Direct(lam=1)), "product.*must be symmetric"),
        (lambda: problem_from(alpha=1, lam=1, kappa0=1, keys=3), "keys = 3.*no meaning"),
        (lambda: spectrum(untied(1, 1)), "training = 'untied'"),
        (lambda: dynamics(untied(1, 1), t=[1]), "training = 'untied'"),
        (lambda: best_lambda(untied(1, 1)), "must be symmetric for `training=bayes`"),
    ],
)
def test_what_is_not_covered_is_refused_in_a_sentence(make, sentence):
    with pytest.raises(BadInput, match=sentence):
        make()
