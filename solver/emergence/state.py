"""Noise level, threshold and scale of the trained map at a point, for any number of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.model import PowerLaw
from attlas.model.channels import channel_of
from attlas.solver.measured import Measured
from attlas.solver.scaling.point import level
from attlas.solver.scaling.problem import problem_at
from attlas.solver.solve import solve

#: Relative accuracy of softmax solutions.
_RTOL = 1e-6


@dataclass(frozen=True)
class State:
    """The map is eta ReLU(S0 + delta Z - epsilon).

    Attributes
    ----------
    mse : Measured
    delta, epsilon, eta : float
    relative : float
        Relative error bar of the threshold and the noise level.
    """

    mse: Measured
    delta: float
    epsilon: float
    eta: float
    relative: float


def state_at(target: PowerLaw, n: float, noise: float, lam: float, tokens: int = 1) -> State:
    """Solve factorised training at a real number of samples.

    Linear scores take a bracketed root; softmax is iterated.

    Parameters
    ----------
    target, n, noise, lam, tokens
        As of :func:`attlas.solver.scaling.problem.problem_at`.
    """
    if channel_of(tokens).linear:
        one = level(target, n, lam, noise)
        relative = one.mse.error / one.mse.value if one.mse.value else 0.0
        return State(one.mse, one.delta, one.epsilon, 1.0, relative)
    found = solve(problem_at(target, n, noise, lam, tokens=tokens), rtol=_RTOL)
    bars = [
        getattr(found.error, key) / getattr(found, key)
        for key in ("delta", "epsilon")
        if getattr(found, key)
    ]
    mse = Measured(found.mse, found.error.mse)
    return State(mse, found.delta, found.epsilon, found.eta, max(bars, default=0.0))
