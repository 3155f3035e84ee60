"""The limit lam -> 0+ with fewer data than can be interpolated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attlas.model import Problem
from attlas.solver.channels import (
    TEST_ACCURACY,
    ChannelKernel,
    ReplicatedKernel,
    channel_kernel,
)
from attlas.solver.order_parameters import Conjugates
from attlas.solver.ridgeless.balance import Array, Balance, Root
from attlas.solver.ridgeless.propagate import propagated, proportional
from attlas.solver.solution import Observables, Solution, Stats
from attlas.solver.status import Status

_ROUNDING = 1e-14
_ADVICE = (
    "lam = 0 is the limit lam -> 0+. The labels are interpolated: the training error is 0, sigma "
    "is infinite and left out, and the conjugates vanish as lam."
)


def interpolating_solution(problem: Problem, balance: Balance, root: Root) -> Solution:
    """All result keys where the labels are fitted exactly (theory.md section 7).

    S = (beta0/beta) S', with S' the interpolator of least penalty at equal temperatures. The
    number of tokens enters through a = alpha D only, except in the test errors.

    Parameters
    ----------
    problem : Problem
    balance : Balance
        The two equations, with ``own = 0``.
    root : Root
    """
    kernel = channel_kernel(problem.channel, problem.scores)

    def values(x: Array) -> Observables:
        return _observe(balance, kernel, x)

    here = values(root.x)
    relative = 4 * balance.state(root.x).error + _ROUNDING
    error = propagated(values, root.x, root.x_error, proportional(here, relative))
    return Solution.of(
        here,
        problem=problem,
        error=with_test_spread(error, kernel, here, balance.q0),
        status=Status.CONVERGED,
        stats=Stats(iterations=root.evaluations, seconds=0.0),
        start="analytic",
        residual=float(np.max(np.abs(root.defect))),
        advice=_ADVICE,
    )


def _observe(balance: Balance, kernel: ChannelKernel, x: Array) -> Observables:
    state = balance.state(x)
    scale, overlaps = kernel.scale, state.overlaps
    q, m = scale**2 * overlaps.q, scale * overlaps.m
    mse = scale**2 * state.mse + (1 - scale) * ((1 + scale) * balance.q0 - 2 * m)
    tests = kernel.test_errors(q, m, balance.q0, mse)
    hat = float(np.exp(x[1]))
    unit = Conjugates(q_hat=(float(np.exp(x[0])) * hat) ** 2, m_hat=hat, sigma_hat=hat)
    return Observables(
        q=q,
        m=m,
        q_hat=0.0,
        m_hat=0.0,
        sigma_hat=0.0,
        eta=scale * state.eta,
        delta=state.delta,
        epsilon=state.epsilon,
        rank_fraction=state.rank_fraction,
        train_error=0.0,
        **tests.observed,
        loss=0.0,
        mse=mse,
        # <Tr C r' C r'> -> D/sigma^2: the proximal point does not move with the field.
        replicon=2 * balance.a * balance.matrix.slope(unit) / overlaps.sigma**2,
    )


def with_test_spread(
    error: Observables, kernel: ChannelKernel, here: Observables, q0: float
) -> Observables:
    """Test errors' bars widened by the integration error of the kernel."""
    if kernel.finest == 0:
        return error
    replicated = isinstance(kernel, ReplicatedKernel)
    each = [kernel.replicate(index) for index in range(kernel.replicates)] if replicated else []
    found = [one.test_errors(here.q, here.m, q0).observed for one in each]
    wider: dict[str, float] = {}
    for key in ("test_error", "test_error_clean", "test_square", "accuracy"):
        if (bar := getattr(error, key)) is not None:
            spread = 4 * float(np.std([one[key] for one in found], ddof=1)) if found else 0.0
            wider[key] = bar + TEST_ACCURACY + spread / max(len(found), 1) ** 0.5
    return replace(error, **wider)
