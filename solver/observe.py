"""From a fixed point to the result keys."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from attlas.solver.fixed_point import Array
from attlas.solver.solution import Observables
from attlas.solver.state_evolution import StateEvolution, hats


def observe(
    system: StateEvolution, x: Array, level: int, slope: float | None = None
) -> Observables:
    """All result keys at a fixed point, integrated at a given level (theory.md section 6).

    ``slope`` stands in for the matrix factor of the replicon, which is as dear as all the rest and
    common to all levels: with 1, ``with_slope`` supplies it afterwards.
    """
    state = system.state(x)
    overlaps, conjugates = state.overlaps, hats(x)
    moments = system.moments(overlaps, level)
    tests = system.test_errors(overlaps, state.mse)
    names = system.revealed.names
    shown: dict[str, Any] = dict(zip(names, overlaps.traces, strict=True))
    shown["trace"] = state.trace
    shown |= {f"{name}_hat": pull for name, pull in zip(names, conjugates.pulls, strict=True)}
    return Observables(
        **shown,
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
        **tests.observed,
        loss=system.free_energy(x, state, moments),
        mse=state.mse,
        replicon=system.replicon(moments, hats(x), slope),
        multi_minima_weight=moments.multi_minima_weight,
    )


def with_slope(
    values: Observables, error: Observables, slope: float
) -> tuple[Observables, Observables]:
    """A replicon observed with unit slope, and its bar, with the slope of the solution."""
    if math.isinf(slope):  # of a denoiser that jumps: exact
        return replace(values, replicon=slope), replace(error, replicon=0.0)
    return (
        replace(values, replicon=values.replicon * slope),
        replace(error, replicon=error.replicon * slope),
    )
