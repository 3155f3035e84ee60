"""The penalty that modes are watched at, and the noise that many samples of softmax amount to."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from attlas.model import PowerLaw, Problem
from attlas.model.channels import channel_of
from attlas.solver.decomposition.response import response
from attlas.solver.order_parameters import Overlaps
from attlas.solver.scaling.predictions import best_penalty
from attlas.solver.scaling.problem import problem_at
from attlas.solver.state_evolution import StateEvolution

#: Proximal variance that stands for its limit 0.
_SIGMA = 1e-4


class Dense(NamedTuple):
    """What a channel amounts to for n much larger than d^2.

    Attributes
    ----------
    noise : float
        Variance of the label noise of the linear channel with the same noise level delta.
    penalty : float
        lam_c over sqrt(alpha).
    pull : float
        m_hat over alpha: epsilon = 2 lam/(alpha pull); 8 for the linear channel.
    """

    noise: float
    penalty: float
    pull: float


def dense_limit(target: PowerLaw, noise: float, tokens: int) -> Dense:
    """The limit Sigma -> 0 at q = eta*^2 Q0, m = eta* Q0 (theory.md section 14).

    Parameters
    ----------
    target : PowerLaw
    noise : float
        > 0.
    tokens : int
    """
    return _dense(problem_at(target, 1.0, noise, 0.0, tokens=tokens))


@cache
def _dense(problem: Problem) -> Dense:
    system = StateEvolution.of(problem)
    scale = response(system).eta_star
    overlaps = Overlaps(q=scale**2 * system.q0, m=scale * system.q0, sigma=_SIGMA)
    found = system.kernel.moments(overlaps, system.signal, system.kernel.finest)
    # Over alpha: q_hat = -4 dM/dSigma, m_hat = -2 dM/dm; delta^2 = q_hat/m_hat^2 = noise/(4 alpha).
    q_hat, m_hat = -4 * found.d_sigma, -2 * found.d_m
    return Dense(4 * q_hat / m_hat**2, math.sqrt(q_hat), m_hat)


def penalty_of(
    target: PowerLaw, n: float, noise: float, lam: float | None, tokens: int = 1
) -> float:
    """``lam`` where it is given, else lam_c(n), which cuts the bulk at its edge.

    For softmax lam_c is that of n much larger than d^2. Without noise it is 0, the limit
    lam -> 0+.
    """
    if lam is not None:
        return lam
    if channel_of(tokens).linear or noise == 0:
        return best_penalty(target, n, noise)
    return dense_limit(target, noise, tokens).penalty * math.sqrt(n) / target.d
