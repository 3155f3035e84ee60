"""The kernel for any number of tokens: derivatives, convergence, limits, refusals."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest

from attlas.model import SoftmaxChannel
from attlas.model.errors import BadInput
from attlas.solver.channels import channel_kernel
from attlas.solver.channels.many_tokens.elimination import solve_symmetric
from attlas.solver.channels.many_tokens.fields import FieldModel
from attlas.solver.channels.many_tokens.kernel import ManyTokenKernel
from attlas.solver.channels.many_tokens.nodes import normal_points
from attlas.solver.channels.many_tokens.proximal import ProximalProblem
from attlas.solver.channels.many_tokens.row_agreement import squared_distance
from attlas.solver.channels.many_tokens.row_sampling import SampledRow
from attlas.solver.channels.many_tokens.scores import reduced_scores
from attlas.solver.channels.many_tokens.softmax_loss import SoftmaxLoss, attention_at
from attlas.solver.order_parameters import Overlaps

POINT = Overlaps(q=0.74, m=0.972, sigma=5.6)
SIGNAL = 1.55


def kernel(tokens: int, beta0: float = 1.0) -> ManyTokenKernel:
    return ManyTokenKernel(tokens=tokens, beta=1.0, beta0=beta0, noise=0.1)


@pytest.mark.parametrize("tokens", [2, 3, 4, 6])
def test_reduced_scores_are_white_and_free_of_the_shift(tokens: int) -> None:
    rows = reduced_scores(tokens).rows
    first, second = np.tril_indices(tokens)
    weight = np.where(first == second, 0.5, 1.0)
    flat = rows[first, second]
    assert flat.T @ (weight[:, None] * flat) == pytest.approx(np.eye(flat.shape[1]), abs=1e-13)
    assert weight @ flat == pytest.approx(np.zeros(flat.shape[1]), abs=1e-13)
    assert flat.shape[1] == SoftmaxChannel(tokens=tokens).label_rank


@pytest.mark.parametrize("tokens", [3, 5])
def test_gradient_and_curvature_are_the_derivatives_of_the_loss(tokens: int) -> None:
    rng = np.random.default_rng(1)
    scores = reduced_scores(tokens)
    zeta, teacher = rng.standard_normal((2, scores.dimension, 3))
    loss = SoftmaxLoss(attention_at(2 * teacher, 1.0, scores), 1.3, scores)
    gradient = loss.gradient(loss.predict(zeta))
    curvature = loss.curvature(loss.predict(zeta))
    for k, direction in enumerate(np.eye(scores.dimension)):
        ahead, behind = (loss.predict(zeta + s * 1e-5 * direction[:, None]) for s in (1, -1))
        slope = (loss.value(ahead) - loss.value(behind)) / 2e-5
        assert slope == pytest.approx(gradient[k], abs=1e-9)
        bend = (loss.gradient(ahead) - loss.gradient(behind)) / 2e-5
        assert bend == pytest.approx(curvature[:, k], abs=1e-8)


def test_elimination_solves_and_marks_indefinite_systems() -> None:
    rng = np.random.default_rng(2)
    root = rng.standard_normal((6, 6, 40))
    matrices = np.einsum("ikn,jkn->ijn", root, root)
    matrices[0, 0, :5] -= 100.0
    right = rng.standard_normal((6, 2, 40))
    x, pivot = solve_symmetric(matrices.copy(), right)
    assert np.all(pivot[:5] < 0)
    assert np.all(pivot[5:] > 0)
    assert np.einsum("ijn,jkn->ikn", matrices, x)[..., 5:] == pytest.approx(
        right[..., 5:], abs=1e-8
    )


@pytest.mark.parametrize(
    ("tokens", "sigma", "beta0"), [(3, 2.0, 1.0), (3, 60.0, 1.0), (3, 15.0, 50.0), (4, 15.0, 3.0)]
)
def test_minima_are_stationary_and_no_random_start_does_better(
    tokens: int, sigma: float, beta0: float
) -> None:
    rng = np.random.default_rng(4)
    scores = reduced_scores(tokens)
    label, field = rng.standard_normal((2, scores.dimension, 1500))
    spread = {"root_signal": SIGNAL**0.5, "slope": 0.8, "spread": 1.4}
    model = FieldModel(**spread, sigma=sigma, beta=1.0, beta0=beta0, scores=scores)
    loss = SoftmaxLoss(attention_at(beta0 * SIGNAL**0.5 * label, 1.0, scores), 1.0, scores)
    problem = ProximalProblem(loss, 0.8 * label + 1.4 * field, sigma)
    zeta, two_minima = model.minimum(problem, label)
    force = zeta - problem.omega + sigma * loss.gradient(loss.predict(zeta))
    assert np.max(np.abs(force)) < 1e-7 * sigma
    best = problem.objective(zeta, loss.predict(zeta))
    missed = np.zeros(best.size, dtype=bool)
    for width in (0.5, 1.0, 2.0, 3.0):
        _, other = problem.minima(2 * label + width * rng.standard_normal(label.shape))
        missed |= problem.objective(other, loss.predict(other)) < best - 1e-7
    assert not missed.any()
    if sigma > 10 and beta0 < 10:
        assert 0 < np.mean(two_minima) < 0.1


@pytest.mark.parametrize("sigma", [0.7, 5.6])
def test_derivatives_are_those_of_the_energy(sigma: float) -> None:
    """Each replicate's own Stein form against central differences on the same nodes."""
    three = kernel(3)
    point = replace(POINT, sigma=sigma)
    moments = np.array([astuple(one) for one in three.replicate_moments(point, SIGNAL, 4)])
    for key, column, width in (("sigma", 1, 1e-3), ("m", 2, 1e-3), ("q", 3, 1e-3)):
        ahead, behind = (
            np.array(
                [
                    one.energy
                    for one in three.replicate_moments(
                        replace(point, **{key: getattr(point, key) + s * width}), SIGNAL, 4
                    )
                ]
            )
            for s in (1, -1)
        )
        gap = (ahead - behind) / (2 * width) - moments[:, column]
        error = gap.std(ddof=1) / gap.size**0.5
        assert abs(gap.mean()) < 4 * error + 1e-5
        assert abs(gap.mean()) < 5e-3 * abs(moments[:, column].mean())


def test_derivatives_hold_where_the_field_has_no_spread_of_its_own() -> None:
    three = kernel(3)
    m = 0.9
    aligned = three.moments(Overlaps(q=m * m / SIGNAL, m=m, sigma=3.0), SIGNAL, 4)
    nearby = three.moments(Overlaps(q=m * m / SIGNAL + 1e-3, m=m, sigma=3.0), SIGNAL, 4)
    assert aligned.d_q == pytest.approx(nearby.d_q, rel=0.02)
    assert aligned.d_m == pytest.approx(nearby.d_m, rel=0.02)
    silent = three.moments(Overlaps(q=0.0, m=0.0, sigma=0.0), SIGNAL, 1)
    assert silent.d_q > 0
    assert silent.energy == pytest.approx(three.test_errors(0.0, 0.0, 1.5).noisy, rel=0.02)


def test_levels_converge_within_the_spread_of_the_replicates() -> None:
    three = kernel(3)
    fine = np.array(astuple(three.moments(POINT, SIGNAL, 5)))[:6]
    coarse = np.array([astuple(one) for one in three.replicate_moments(POINT, SIGNAL, 2)])[:, :6]
    error = coarse.std(axis=0, ddof=1) / 4
    assert np.all(np.abs(coarse.mean(axis=0) - fine) < 4 * error)


@pytest.mark.parametrize("tokens", [3, 4])
def test_test_error_grid_agrees_with_samples(tokens: int) -> None:
    q, m, signal = 0.74, 0.972, 1.5
    drawn = [
        SampledRow(signal, normal_points(2 * tokens - 2, 11, replicate), 1.0, 1.0).value(q, m)
        for replicate in range(16)
    ]
    exact = squared_distance(q, m, signal, tokens=tokens, beta=1.0, beta0=1.0)
    assert abs(np.mean(drawn) - exact) < 4 * np.std(drawn, ddof=1) / 4
    assert exact == pytest.approx(np.mean(drawn), rel=2e-3)


def test_one_hot_labels_are_finite() -> None:
    four = kernel(4, beta0=50.0)
    moments = four.moments(Overlaps(q=9.0, m=3.4, sigma=10.0), SIGNAL, 0)
    assert np.all(np.isfinite(astuple(moments)))
    errors = four.replicate(0).test_errors(9.0, 3.4, 1.5)
    assert 0 < errors.clean < 4


def test_too_many_tokens_are_refused_with_the_reason() -> None:
    with pytest.raises(BadInput, match=r"^tokens ") as refusal:
        channel_kernel(SoftmaxChannel(tokens=9))
    assert "88 dimensions" in str(refusal.value)
    assert channel_kernel(SoftmaxChannel(tokens=8)).finest >= 5
