"""Faults that code of this kind is known for and that no other room's tests hold."""

from __future__ import annotations

import pytest

from model import problem_from
from solver import solve, threshold
from solver.spectrum import target_law
from solver.trajectory import trajectory


@pytest.mark.parametrize("delta", [1e-4, 1e-2, 1.0, 10.0])
def test_a_tiny_rank_keeps_mass_mean_and_second_moment(delta):
    law = target_law(problem_from(alpha=1, lam=1, kappa0="1e-4").target)
    mass, mean, second = law.noisy(delta).moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(law.mean, abs=1e-12 * (1 + delta))
    assert second == pytest.approx(law.q0 + delta**2, rel=1e-12)


def test_damping_is_not_convergence():
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", noise="0.1", tokens=1)
    right = solve(problem)
    for damping in (0.05, 0.5):
        last = trajectory(problem, 400, damping=damping).points[-1].overlaps
        assert last.q == pytest.approx(right.q, abs=right.error.q + 1e-12)
        assert last.m == pytest.approx(right.m, abs=right.error.m + 1e-12)


def test_a_vanishing_penalty_at_the_interpolation_threshold():
    alpha = threshold("interpolation", kappa0="1/2", noise="1/2", tokens=1, digits=30).alpha
    flat = {"alpha": alpha, "kappa0": "1/2", "noise": "1/2", "tokens": 1}
    peak = solve(problem_from(**flat, lam=0), rtol=1e-3)
    heights = [solve(problem_from(**flat, lam=lam), rtol=1e-3) for lam in ("1e-7", "1e-10")]
    assert all(one.status.ok for one in heights)
    # The height is approached as lam^(1/3): a factor 10 in the distance for 1000 in lam.
    far, near = (peak.mse - one.mse for one in heights)
    assert 0 < near < far
    assert far / near == pytest.approx(10, rel=0.05)
