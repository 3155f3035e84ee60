"""Factorised against direct training, and the floor."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import problem_from
from attlas.reports.page.rivals_figure import learning_curves
from attlas.solver import solve
from attlas.verify import simulate
from attlas.verify.simulation.rivals import race

#: theory.md section 11: noise 1/2, kappa0 = 0.1, alpha = 0.1 and 0.5.
REFERENCE = {
    "factorised": (0.180, 0.102),
    "direct": (0.314, 0.155),
    "direct-psd": (0.253, 0.122),
}


@pytest.fixture(scope="module")
def low_rank():
    return race("0.1", "0.5", ["0.1", "0.5"], seeds=0)


@pytest.mark.parametrize("training", REFERENCE)
def test_reference_numbers(low_rank, training):
    found = [point.theory for point in low_rank.curves[training]]
    assert found == pytest.approx(REFERENCE[training], abs=6e-4)


def test_factorisation_wins_at_low_rank_and_not_at_high_rank_with_little_data(low_rank):
    assert low_rank.winners() == ("factorised", "factorised")
    assert race("0.5", "0.5", ["0.05"], seeds=0).winners() == ("direct-psd",)


def test_nothing_passes_the_floor(low_rank):
    for points in low_rank.curves.values():
        for point in points:
            assert 0 < point.efficiency < 1


def test_runs_stand_beside_the_theory():
    rivals = race("0.5", "0.5", ["0.5"], d=24, seeds=2, tokens=1, trainings=["direct"])
    (point,) = rivals.curves["direct"]
    assert point.measured == pytest.approx(point.theory, rel=0.2)
    assert point.spread is not None
    assert point.spread > 0


def test_figure_says_what_it_shows(low_rank):
    svg = learning_curves(low_rank, "rivals")
    for word in ("factorised", "direct, PSD", "Bayes-optimal", "κ₀ = 0.1"):
        assert word in svg
    assert "var(--series-1)" in svg
    assert "factorised at alpha 0.1" in svg


@pytest.mark.parametrize("tokens", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_ridgeless_noiseless_law_of_direct_training(tokens):
    """Squared error Q0 (1 - 2 alpha D), theory.md section 11: in theory, and in runs."""
    reduced = 0.2
    flat = {
        "alpha": str(reduced / tokens),  # D = 1 for one token, 2 for two
        "kappa0": "0.5",
        "training": "direct",
        "tokens": tokens,
    }
    law = 1.5 * (1 - 2 * reduced)
    small = problem_from(**flat, lam="1e-7")
    assert solve(small).mse == pytest.approx(law, rel=2e-3)
    d = 24 if tokens == 1 else 16
    runs = simulate(
        problem_from(**flat, lam="1e-4"), d=d, seeds=4, paired=False, lam_path=(0.1, 0.01, 0.001)
    ).runs
    ratios = [run.observables.mse / (np.square(run.teacher_eigenvalues).sum() / d) for run in runs]
    assert np.mean(ratios) == pytest.approx(1 - 2 * reduced, abs=0.06)
