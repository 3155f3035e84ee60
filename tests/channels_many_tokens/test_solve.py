"""Solving with three and more tokens: reference numbers and honest error bars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attlas.model import Factorised, Problem, SoftmaxChannel, Wishart
from attlas.solver import solve
from attlas.solver.branches import find_branches
from attlas.solver.channels.many_tokens.kernel import ManyTokenKernel
from attlas.solver.error_bars import ErrorSources
from attlas.solver.fixed_point import refine
from attlas.solver.observe import observe
from attlas.solver.replicate_errors import replicate_errors
from attlas.solver.state_evolution import StateEvolution

REFERENCE = Problem(
    alpha="0.1",
    target=Wishart("1/2"),
    channel=SoftmaxChannel(tokens=3, noise="0.1"),
    estimator=Factorised(lam="0.02"),
)


def test_reference_point() -> None:
    solution = solve(REFERENCE, rtol=5e-3)
    assert solution.status.ok
    assert solution.residual < 1e-5
    # theory.md section 15, each with its own uncertainty.
    for key, value, margin in (
        ("loss", 0.011268, 2e-6),
        ("q", 0.7393, 3e-4),
        ("train_error", 0.02140, 5e-6),
        ("test_error", 0.1482, 5e-5),
    ):
        found, error = getattr(solution, key), getattr(solution.error, key)
        assert abs(found - value) <= error + 2 * margin
        assert error < 5e-3 * value


def test_error_bars_cover_independent_solves() -> None:
    """Solves with four disjoint sets of four replicates, against one with all of them."""
    system = StateEvolution.of(REFERENCE)
    assert isinstance(system.kernel, ManyTokenKernel)
    point = next(b.point for b in find_branches(system, 1000) if b.point is not None)
    level = 2
    values = []
    for part in range(4):
        kernel = replace(system.kernel, used=tuple(range(4 * part, 4 * part + 4)))
        alone = replace(system, kernel=kernel)
        found = refine(
            lambda x, alone=alone: alone.step(x, level), point, tolerance=1e-13, max_steps=50
        )
        # The nodes are the same at every step: the map is smooth and converges to rounding.
        assert found.residual < 1e-11
        error = replicate_errors(alone, kernel, found, level, ErrorSources(0.0, 1.0, 0.0))
        values.append((observe(alone, found.x, level), error))
    truth = solve(REFERENCE, rtol=5e-3)
    for key in ("q", "m", "sigma", "loss", "train_error", "test_error", "replicon"):
        found = np.array([getattr(one, key) for one, _ in values])
        bars = np.array([getattr(error, key) for _, error in values])
        assert np.all(np.abs(found - getattr(truth, key)) < bars + getattr(truth.error, key))
        # Nor do they exaggerate: the bars are a few times the spread between the solves.
        spread = found.std(ddof=1)
        assert 1.5 * spread < bars.mean() < 40 * spread


@pytest.mark.slow
def test_four_tokens_to_a_part_in_a_thousand() -> None:
    channel = SoftmaxChannel(tokens=4, noise="0.1")
    solution = solve(REFERENCE.with_(channel=channel))
    assert solution.status.ok
    assert solution.error.q < 1e-3 * solution.q
    assert solution.loss == pytest.approx(0.0134495, abs=solution.error.loss + 3e-6)
