"""The linear channel at any penalty: a bracketed root instead of an iteration."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from attlas.model import Problem
from attlas.solver.observe import observe
from attlas.solver.ridgeless.balance import Array, Balance, Root
from attlas.solver.ridgeless.propagate import propagated, proportional
from attlas.solver.solution import Observables, Solution, Stats
from attlas.solver.state_evolution import StateEvolution
from attlas.solver.status import Status

_ROUNDING = 1e-14
#: Keys that next to collapse are tiny, and known to fewer digits than what the scores feel.
_SPECTRAL_KEYS = ("q", "m", "sigma", "rank_fraction", "replicon")


def linear_solution(problem: Problem, balance: Balance, root: Root) -> Solution:
    """All result keys of the linear channel at the root of both equations (theory.md section 8).

    Parameters
    ----------
    problem : Problem
        With a channel that is linear, where eta = 1 before the penalty's own shrinkage.
    balance : Balance
        Its equations at the problem's penalty.
    root : Root
    """
    system = StateEvolution.of(problem)

    def values(x: Array) -> Observables:
        point = np.array([x[0], x[1], 0.0])
        found = observe(system, point, 0)
        # Without the cancellation of Phi, which at tiny penalties leaves few digits.
        penalty = system.freedom * system.state(point).penalty
        loss = system.alpha * found.train_error + penalty
        return replace(found, loss=loss)

    here = values(root.x)
    error = propagated(values, root.x, root.x_error, _own_errors(here, balance, root))
    return Solution.of(
        here,
        problem=problem,
        error=error,
        status=Status.COLLAPSED if here.q == 0 else Status.CONVERGED,
        stats=Stats(iterations=root.evaluations, seconds=0.0, nodes=1),
        start="analytic",
        residual=float(np.max(np.abs(root.defect))),
    )


def _own_errors(here: Observables, balance: Balance, root: Root) -> Observables:
    """Errors of the keys at exact unknowns; the loss is a misfit and a penalty of order m."""
    state = balance.state(root.x)
    scores = float(np.sum(balance.rounding(state)))
    overlaps = proportional(here, 4 * state.error + _ROUNDING)
    return replace(
        proportional(here, scores + _ROUNDING),
        **{key: getattr(overlaps, key) for key in _SPECTRAL_KEYS},
        mse=4 * state.mse_error + _ROUNDING * state.mse,
        test_error_clean=8 * state.mse_error + _ROUNDING * here.test_error_clean,
        loss=(scores + _ROUNDING) * here.loss + 8 * state.error * abs(state.penalty),
    )


def beyond(balance: Balance, root: Root) -> Root:
    """The root at penalty 0 with more data than can be interpolated: epsilon = 0."""
    state = balance.state(np.array([root.x[0], 0.0]))
    own_hat = (8 * balance.a - 4 * state.overlaps.sigma) / balance.own
    x = np.array([root.x[0], math.log(own_hat)])
    # d log sigma_hat = -(4 dsigma)/sigma_hat with sigma known as a function of delta
    shifted = balance.state(np.array([root.x[0] + root.x_error[0], 0.0])).overlaps.sigma
    rounding = 8 * balance.a * (4 * state.error + 1e-15)
    hat_error = (4 * abs(shifted - state.overlaps.sigma) + rounding) / (balance.own * own_hat)
    error = np.array([root.x_error[0], hat_error])
    return Root(root.regime, x, root.defect, error, root.evaluations)
