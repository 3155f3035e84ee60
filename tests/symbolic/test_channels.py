# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
"""Channels: closed M against quadrature of the definition, softmax against differences."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from attlas.model import LinearChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Softmax, channel_equations
from attlas.symbolic.channels.unimodality import unimodality_bound, worst_curvature
from attlas.symbolic.evaluate import evaluate
from tests.symbolic.own_channels import Absolute, Elastic
from tests.symbolic.strategies import points

#: Losses of the residual, as formulas and as numpy functions.
LOSSES = {
    "linear": (LinearChannel(), np.square),
    "absolute": (Absolute(), np.abs),
    "elastic": (Elastic(), lambda e: e**2 / 3 + np.abs(e) / 2),
}


WORST = float(worst_curvature()[0])


def mean_envelope(loss, sigma: float, variance: float) -> float:
    """M from its definition: minimise over the residual on a grid, average over the Gaussian."""
    nodes, weights = np.polynomial.legendre.leggauss(150)
    gap = (nodes + 1) * 5 * np.sqrt(variance)
    density = np.sqrt(2 / np.pi / variance) * np.exp(-(gap**2) / (2 * variance))
    best = []
    for value in gap:
        found = optimize.minimize_scalar(
            lambda f, value=value: loss(f) + (f - value) ** 2 / (4 * sigma),
            bounds=(0, value),
            method="bounded",
            options={"xatol": 1e-12},
        )
        best.append(min(found.fun, loss(0.0) + value**2 / (4 * sigma)))
    return float(np.sum(weights * 5 * np.sqrt(variance) * density * np.array(best)))


@pytest.mark.parametrize("name", LOSSES)
@settings(max_examples=3, deadline=None)
@given(at=points("q_label", "q", "m", "sigma"))
def test_closed_m_is_the_mean_of_the_minimised_loss(name, at) -> None:
    channel, loss = LOSSES[name]
    variance = float(2 * (at["q_label"] - 2 * at["m"] + at["q"]))
    expected = mean_envelope(loss, float(at["sigma"]), variance)
    closed = channel_equations(channel).closed_form
    assert evaluate(closed, at) == pytest.approx(expected, rel=1e-5)
    precise = evaluate(closed, at, "mpmath", 40)
    ball = evaluate(closed, at, "arb", 40)
    assert float(precise) == pytest.approx(evaluate(closed, at), rel=1e-12)
    assert abs(float(ball.mid()) - float(precise)) < 1e-15


def test_linear_m_is_the_formula_of_the_theory() -> None:
    """theory.md section 1: M = 2 (Q0 - 2m + q + noise/2)/(1 + 4 sigma)."""
    stated = 2 * (sym.q_label - 2 * sym.m + sym.q) / (1 + 4 * sym.sigma)
    assert sp.simplify(channel_equations(LinearChannel()).closed_form - stated) == 0


@pytest.mark.parametrize("tokens", [2, 3, 4, 5])
def test_labels_see_d_combinations_and_miss_only_the_shift(tokens: int) -> None:
    softmax = Softmax(tokens)
    assert softmax.label_rank == (tokens**2 + tokens - 2) // 2
    (lost,) = softmax.invariances
    assert len(set(lost)) == 1


@pytest.mark.parametrize("tokens", [2, 3])
def test_the_basis_whitens_and_the_loss_ignores_the_rest(tokens: int) -> None:
    softmax = Softmax(tokens)
    inverse = sp.diag(*(sp.Rational(1, weight) for weight in softmax.metric))
    gram = (softmax.basis.T * inverse * softmax.basis).applyfunc(sp.simplify)
    assert gram == sp.eye(softmax.label_rank)
    rng = np.random.default_rng(tokens)
    scores, labels = (rng.standard_normal(len(softmax.pairs)) for _ in range(2))
    # Remove the part of the scores that the basis does not span.
    basis = np.array(softmax.basis.evalf(30), dtype=float)
    kept = basis @ (basis.T @ np.diag(1 / np.array(softmax.metric, dtype=float)) @ scores)
    assert not np.allclose(kept, scores)
    assert loss_at(softmax, kept, labels) == pytest.approx(loss_at(softmax, scores, labels))


def test_two_token_basis_reproduces_the_covariance_of_differences() -> None:
    """theory.md section 4: u = h11 - h12, v = h22 - h12 have covariance [[3, 1], [1, 3]]."""
    differences = sp.Matrix([[1, -1, 0], [0, -1, 1]]) * Softmax(2).basis
    assert (differences * differences.T).applyfunc(sp.simplify) == sp.Matrix([[3, 1], [1, 3]])


@pytest.mark.parametrize("tokens", [2, 3])
def test_gradient_and_hessian_are_derivatives(tokens: int) -> None:
    softmax = Softmax(tokens)
    rng = np.random.default_rng(10 + tokens)
    scores, labels = (rng.standard_normal(len(softmax.pairs)) for _ in range(2))
    at = named(softmax, scores, labels)
    gradient = [evaluate(entry, at) for entry in softmax.gradient()]
    step = 1e-5
    for index, value in enumerate(gradient):
        shift = np.zeros_like(scores)
        shift[index] = step
        ahead, behind = (loss_at(softmax, scores + sign * shift, labels) for sign in (1, -1))
        assert value == pytest.approx((ahead - behind) / (2 * step), abs=1e-8)
    direction = rng.standard_normal(len(scores))
    hessian = np.array([[evaluate(e, at) for e in row] for row in softmax.hessian().tolist()])
    curve = [loss_at(softmax, scores + k * 1e-3 * direction, labels) for k in (-1, 0, 1)]
    second = (curve[0] - 2 * curve[1] + curve[2]) / 1e-6
    assert direction @ hessian @ direction == pytest.approx(second, rel=1e-3, abs=1e-5)


def test_unimodality_bound_separates_one_minimum_from_two() -> None:
    """Just below, no label and field give two minima; just above, an explicit pair does."""
    bound = float(unimodality_bound().evalf(20))
    assert bound == pytest.approx(1.04, abs=1e-3)
    place = float(worst_curvature()[1])
    u = np.log(place / (1 - place))
    label = 1 - 1e-9

    def minima(sigma: float) -> int:
        # On u = v the proximal term is (u - w)^2/(4 sigma); w makes u stationary.
        pull = 8 * sigma * 2 * (label - place) * place * (1 - place)
        grid = np.linspace(u - 3, u + 3, 60_001)
        p = 1 / (1 + np.exp(-grid))
        objective = 4 * (label - p) ** 2 + (grid - (u - pull)) ** 2 / (4 * sigma)
        inner = objective[1:-1]
        return int(np.sum((inner < objective[:-2]) & (inner < objective[2:])))

    assert minima(bound * 0.97) == 1
    assert minima(bound * 1.05) == 2


@settings(max_examples=100, deadline=None)
@given(label=st.floats(0, 1), u=st.floats(-30, 30))
def test_no_curvature_is_below_the_worst(label: float, u: float) -> None:
    p = 1 / (1 + np.exp(-u))
    slope = p * (1 - p)
    value = slope**2 - (label - p) * slope * (1 - 2 * p)
    assert value >= WORST - 1e-15


def test_test_error_rises_linearly_as_the_theory_note_says() -> None:
    """theory.md section 13, T = 2: half the metric's Laplacian of the loss is
    6 beta^2 [s'^2 - (y - s) s''] for u and the same for v, hence c1 = 12 beta^2 E[...]."""
    softmax = Softmax(2)
    scores = softmax.independent(softmax.scores)
    laplacian = sum(
        weight * sp.diff(softmax.loss, h, 2)
        for weight, h in zip(softmax.metric, scores, strict=True)
    )
    at = {"beta": 0.8, "beta0": 1.3, "h_11": 0.4, "h_12": -0.3, "h_22": 1.1,
          "z_11": -0.2, "z_12": 0.9, "z_22": 0.5}  # fmt: skip

    def bracket(score: float, label: float) -> float:
        p, y = 1 / (1 + np.exp(-0.8 * score)), 1 / (1 + np.exp(-1.3 * label))
        slope = p * (1 - p)
        return slope**2 - (y - p) * slope * (1 - 2 * p)

    stated = 6 * 0.8**2 * (bracket(0.7, -1.1) + bracket(1.4, -0.4))
    assert evaluate(laplacian, at) / 2 == pytest.approx(stated, rel=1e-10)


def named(softmax: Softmax, scores, labels) -> dict[str, float]:
    values = {"beta": 0.8, "beta0": 1.3}
    for matrix, entries in ((softmax.scores, scores), (softmax.teacher_scores, labels)):
        for symbol, entry in zip(softmax.independent(matrix), entries, strict=True):
            values[symbol.name] = float(entry)
    return values


def loss_at(softmax: Softmax, scores, labels) -> float:
    """The loss written out in numpy."""
    size = softmax.count
    grid = np.zeros((2, size, size))
    for index, (i, j) in enumerate(softmax.pairs):
        grid[0, i, j] = grid[0, j, i] = scores[index]
        grid[1, i, j] = grid[1, j, i] = labels[index]
    weights = [np.exp(0.8 * grid[0]), np.exp(1.3 * grid[1])]
    fitted, target = (w / w.sum(axis=1, keepdims=True) for w in weights)
    return float(np.sum((fitted - target) ** 2))
