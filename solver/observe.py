"""From a fixed point to the result keys."""

from __future__ import annotations

from solver.fixed_point import Array
from solver.solution import Observables
from solver.state_evolution import StateEvolution, hats


def observe(system: StateEvolution, x: Array, level: int) -> Observables:
    """All result keys at a fixed point, integrated at a given level (theory.md section 6)."""
    state = system.state(x)
    overlaps, conjugates = state.overlaps, hats(x)
    moments = system.moments(overlaps, level)
    tests = system.kernel.test_errors(overlaps.q, overlaps.m, system.q0, state.mse)
    return Observables(
        q=overlaps.q,
        m=overlaps.m,
        sigma=overlaps.sigma,
        q_hat=conjugates.q_hat,
        m_hat=conjugates.m_hat,
        sigma_hat=conjugates.sigma_hat,
        eta=state.eta,
        delta=state.delta,
        epsilon=state.epsilon,
        rank_fraction=state.rank_fraction,
        train_error=moments.train_error,
        test_error=tests.noisy,
        test_error_clean=tests.clean,
        loss=system.free_energy(x, state, moments),
        mse=state.mse,
        replicon=system.replicon(x, moments),
        multi_minima_weight=moments.multi_minima_weight,
    )
