"""The error decomposition against its definition, its sum, and theory.md section 13."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import (
    Atoms,
    BadInput,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
    problem_from,
)
from attlas.solver.decomposition import decompose, response, split_error
from attlas.solver.decomposition.response import Response
from attlas.solver.learned_spectrum.rule import Rule
from attlas.solver.spectrum import target_law
from attlas.solver.state_evolution import StateEvolution
from attlas.solver.status import Status


def test_base_point():
    problem = Problem(
        alpha="0.2", target=Wishart("0.5"), channel=SoftmaxChannel(), estimator=Factorised("0.01")
    )
    parts = decompose(problem, rtol=1e-5)
    assert parts.eta_star == pytest.approx(1, abs=1e-9)
    assert parts.over == pytest.approx(0.023875, abs=1e-6)
    assert parts.under == pytest.approx(0.054548, abs=1e-6)
    assert parts.approx == pytest.approx(0.141821, abs=1e-6)
    assert parts.error_scaled == pytest.approx(parts.mse, abs=1e-9)
    assert parts.test_error == pytest.approx(
        parts.e0 + parts.c1 * parts.error_scaled + parts.c2 * parts.mismatch + parts.remainder
    )


def expanded(channel: SoftmaxChannel) -> Response:
    problem = Problem(alpha=1, target=Wishart("1/2"), channel=channel, estimator=Factorised(1))
    return response(StateEvolution.of(problem))


def test_response_to_noise():
    expansion = expanded(SoftmaxChannel(noise="0.5"))
    assert expansion.e0 == pytest.approx(0.074084, abs=5e-7)
    assert expansion.eta_star == pytest.approx(0.87617, abs=5e-6)
    assert expansion.c1 == pytest.approx(0.367888, abs=5e-7)
    assert expansion.c2 == pytest.approx(-0.408, abs=5e-4)
    weaker = expanded(SoftmaxChannel(noise="0.1"))
    assert weaker.e0 == pytest.approx(0.016227, abs=5e-7)
    assert weaker.eta_star == pytest.approx(0.970645, abs=5e-7)
    assert weaker.c1 == pytest.approx(0.340489, abs=5e-7)


def test_response_of_clean_labels_is_the_exact_slope():
    """c1 = 12 beta^2 E[s'^2 - (y - s) s''], here with y = s: 12 beta^2 E s'^2 (section 13)."""
    expansion = expanded(SoftmaxChannel(beta=1, beta0=1))
    z = np.linspace(-12, 12, 4001) * (3 * 1.5) ** 0.5
    weight = np.exp(-0.5 * z**2 / 4.5)
    s = 1 / (1 + np.exp(-z))
    exact = 12 * np.sum(weight * (s * (1 - s)) ** 2) / np.sum(weight)
    assert expansion.c1 == pytest.approx(exact, rel=1e-9)
    assert abs(expansion.c1 - exact) <= expansion.error_c1 + 1e-11


def test_linear_channel_has_no_remainder():
    problem = Problem(
        alpha="0.3",
        target=Wishart("0.5"),
        channel=LinearChannel("0.1"),
        estimator=Factorised("0.1"),
    )
    parts = decompose(problem)
    assert parts.c1 == pytest.approx(2)
    assert parts.c2 == pytest.approx(0, abs=1e-6)
    assert parts.remainder == pytest.approx(0, abs=1e-8)


@settings(max_examples=25, deadline=None)
@given(
    kappa0=st.floats(0.05, 2),
    delta=st.floats(0.05, 2),
    epsilon=st.floats(0.0, 2),
    eta=st.floats(0.3, 1.5),
    eta_star=st.floats(0.5, 1.2),
)
def test_parts_are_positive_and_sum_to_the_squared_error(kappa0, delta, epsilon, eta, eta_star):
    law = target_law(Wishart(kappa0))
    parts = split_error(law, law.noisy(delta), Rule(eta, epsilon, epsilon), eta_star)
    integrals = law.noisy(delta).truncated(epsilon)
    q = eta**2 * integrals.j
    m = eta / 2 * (2 * integrals.j - delta * integrals.j1 - epsilon * integrals.j2)
    assert parts.error_scaled == pytest.approx(
        q - 2 * eta_star * m + eta_star**2 * law.q0, rel=1e-9, abs=1e-11
    )
    tiny = -1e-11
    assert min(parts.over, parts.under, parts.approx) > tiny
    if kappa0 >= 1:
        assert parts.over == 0
    if parts.band_approx is not None:
        assert parts.bulk_over is not None
        assert parts.bulk_under is not None
        assert parts.bulk_cross is not None
        by_bands = parts.bulk_over + parts.bulk_under + parts.bulk_cross + parts.band_approx
        assert by_bands == pytest.approx(parts.error_scaled, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("noise", ["0", "0.5"])
@pytest.mark.parametrize(
    "training",
    [{"training": "direct"}, {"training": "direct-psd"},
     {"training": "width-limited", "kappa": "0.2"}],
    ids=lambda one: one["training"],
)  # fmt: skip
def test_parts_sum_to_the_squared_error_of_every_estimator(training, noise):
    """The squared error is that of the solution's q and m, which know of no parts."""
    for kappa0 in ("0.1", "0.5", "2"):
        problem = problem_from(alpha="0.5", lam="0.05", kappa0=kappa0, noise=noise, **training)
        found = decompose(problem, rtol=1e-2)
        q, m, scale = found.solution.q, found.solution.m, found.eta_star
        whole = q - 2 * scale * m + scale**2 * (1 + float(kappa0))
        assert found.error_scaled == pytest.approx(whole, rel=1e-9)
        if training["training"] == "direct":
            assert found.under == 0


def test_a_floor_has_no_parts():
    with pytest.raises(BadInput, match="trains a map"):
        decompose(problem_from(alpha="0.5", kappa0="0.5", training="bayes"))


@pytest.mark.parametrize("kept", ["above the threshold", "all", "a fifth"])
@pytest.mark.parametrize("kappa0", [0.1, 0.5])
def test_parts_of_a_large_random_matrix(kappa0, kept):
    """theory.md section 13, its definition on eigenvectors; small delta makes the kernel sharp."""
    d, delta, eta_star = 700, 0.12 if kappa0 < 0.2 else 0.5, 0.95
    rng = np.random.default_rng(5)
    factor = rng.standard_normal((d, round(kappa0 * d)))
    s0 = factor @ factor.T / (factor.shape[1] * d) ** 0.5
    noise = rng.standard_normal((d, d))
    noise = (noise + noise.T) / (2 * d) ** 0.5
    s, target_vectors = np.linalg.eigh(s0)
    x, vectors = np.linalg.eigh(s0 + delta * noise)
    rule = {
        "above the threshold": Rule(0.9, 0.4, 0.4),
        "all": Rule(0.9, 0.0, -math.inf),
        "a fifth": Rule(0.9, 0.4, float(x[-d // 5 - 1])),
    }[kept]
    learned = rule.along(x)
    overlaps = (target_vectors.T @ vectors) ** 2
    null, live = s < 1e-9, x > rule.cut
    over = np.sum(overlaps[null] * learned**2) / d
    under = eta_star**2 * np.sum(overlaps[~null][:, ~live] * s[~null, None] ** 2) / d
    gap = (learned[None, live] - eta_star * s[~null, None]) ** 2
    approx = np.sum(overlaps[~null][:, live] * gap) / d
    law = target_law(Atoms(np.clip(s, 0, None) * ~null))
    parts = split_error(law, law.noisy(delta), rule, eta_star)
    scale = over + under + approx
    # One matrix fluctuates around the law at its own eigenvalues by about 1/d.
    for measured, predicted in ((over, parts.over), (under, parts.under), (approx, parts.approx)):
        assert predicted == pytest.approx(measured, abs=6 / d * scale)


def test_nothing_learned_is_all_underfitting():
    problem = Problem(
        alpha="0.2", target=Wishart("0.5"), channel=SoftmaxChannel(), estimator=Factorised(2)
    )
    parts = decompose(problem)
    assert parts.status is Status.COLLAPSED
    assert (parts.over, parts.approx) == (0, 0)
    assert parts.under == pytest.approx(1.5)
