"""The interpolation peak itself, approached from more data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attlas.model import Problem
from attlas.solver.ridgeless.balance import Balance, Regime, Root
from attlas.solver.ridgeless.interpolating import interpolating_solution
from attlas.solver.solution import Observables, Solution

#: Relative distance in alpha within which the integration over scores, at sigma ~ 1e8 and more,
#: cannot tell a problem from the peak.
_CLOSE = 2e-4
#: Change of a key beyond the peak, per its change at the same distance below, bounded; and the
#: least relative change allowed for, per relative distance.
_ASYMMETRY, _SLOPE = 3.0, 10.0
#: The keys that vanish at the peak rise from 0 with a smaller slope.
_RISE = 1e-2
_VANISHING = ("train_error", "loss", "q_hat", "m_hat", "sigma_hat")
_ROUNDING = 1e-14


def peak_solution(problem: Problem, balance: Balance) -> Solution | None:
    """The solution at the peak for an alpha just beyond it; None for one further away.

    Parameters
    ----------
    problem : Problem
        At lam = 0, with more data than can be interpolated.
    balance : Balance
        The two equations, with ``own = 0``.

    Returns
    -------
    Solution or None
        The values at the interpolation threshold, with error bars that cover the distance to it.
    """
    log_delta = balance.peak()
    if log_delta is None:
        return None
    at = np.array([log_delta, 0.0])
    a = replace(balance, matrix=balance.loose).state(at).overlaps.sigma / 2
    distance = balance.a / a - 1
    if distance > _CLOSE:
        return None
    there = replace(balance, matrix=balance.loose, a=a)
    root = Root(Regime.BEYOND, at, np.zeros(2), np.array([_ROUNDING, 0.0]), 1)
    solution = interpolating_solution(problem, there, root)
    reach = max(distance, 1e-15)
    mirrored = replace(balance, a=a * (1 - reach))
    below = interpolating_solution(problem, mirrored, mirrored.solve())
    bars = solution.error.present()
    for key in bars:
        if key in _VANISHING:
            bars[key] += _RISE * reach
        else:
            value = getattr(solution, key)
            change = abs(value - getattr(below, key))
            bars[key] += _ASYMMETRY * change + _SLOPE * reach * abs(value)
    bars["epsilon"] = 0.0
    return replace(
        solution,
        error=Observables(**bars),
        advice=f"{solution.advice} alpha is the interpolation threshold within {reach:.1g}.",
    )
