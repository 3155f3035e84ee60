"""A factor on the columns that carry it: the same map, the same objective."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import problem_from
from attlas.verify import draw_data, draw_teacher, simulate
from attlas.verify.training import factorised
from attlas.verify.training.losses import Objective
from attlas.verify.training.narrowing import NEGLIGIBLE, Narrow

D = 12


def objective(lam: float = 0.02) -> Objective:
    problem = problem_from(alpha="0.5", lam=str(lam), kappa0="0.5")
    data = draw_data(problem, draw_teacher(problem.target, D, 0), 72, 0)
    return Objective.build(problem, data, lam=lam)


def factor(rank: int, width: int, seed: int) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    return torch.from_numpy(rng.standard_normal((D, rank)) @ rng.standard_normal((rank, width)))


@given(st.integers(1, D), st.integers(1, 20), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_map_and_objective_stay(rank: int, width: int, seed: int):
    rank = min(rank, width)
    w, whole = factor(rank, width, seed), objective()
    narrow = Narrow.of(whole, w)
    wide = narrow.widened(narrow.w)
    assert narrow.w.shape[1] <= rank
    assert wide.shape == w.shape
    singular = np.linalg.svd(w.numpy(), compute_uv=False)
    lost = singular[singular <= NEGLIGIBLE * singular[0]]
    gap = np.linalg.norm(w @ w.T - wide @ wide.T)
    assert gap <= np.sum(lost**2) + 1e-12 * singular[0] ** 2
    value, slope = narrow.objective.value_and_gradient(narrow.w)
    again, whole_slope = whole.value_and_gradient(wide)
    assert float(value) == pytest.approx(float(again), rel=1e-12)
    # The columns left out stay at zero: nothing pulls on them.
    kept = narrow.w.shape[1]
    assert not whole_slope[:, kept:].any()
    scaled = whole_slope[:, :kept] * (width / kept) ** 0.25
    assert torch.allclose(slope, scaled, rtol=1e-10, atol=1e-10)


def test_a_direction_let_go_too_early_comes_back(monkeypatch: pytest.MonkeyPatch):
    """Where far too much is let go, the KKT conditions name what was needed."""
    problem = problem_from(alpha="0.5", lam="0.01", kappa0="0.5")
    right = simulate(problem, d=16, seeds=3, paired=False, device="cpu")
    monkeypatch.setattr(factorised, "NEGLIGIBLE", 0.4)
    hasty = simulate(problem, d=16, seeds=3, paired=False, device="cpu")
    for one, other in zip(right.runs, hasty.runs, strict=True):
        assert other.certificate.minimal
        assert other.certificate.objective == pytest.approx(one.certificate.objective, rel=1e-9)
