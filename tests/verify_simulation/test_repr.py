"""What a simulation shows of itself."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify import simulate


def test_a_simulation_shows_means_and_their_errors_on_one_line():
    problem = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1)
    shown = repr(simulate(problem, d=12, seeds=2, paired=False))
    assert shown.startswith("Simulation(CONVERGED, 2 runs at d = 12: ")
    assert "test_error=" in shown
    assert "(±" in shown
    assert len(shown) < 500
