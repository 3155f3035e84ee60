"""The penalty beyond which nothing is learned (theory.md section 9)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attlas.model import Estimator, Problem, require_problem
from attlas.model.errors import BadInput
from attlas.model.exact import Surd
from attlas.solver.channels import ChannelMoments, ReplicatedKernel
from attlas.solver.order_parameters import Overlaps
from attlas.solver.state_evolution import StateEvolution

_ROUNDING = 1e-14
#: Relative change between levels of integration that is small enough to stop.
_ENOUGH = 1e-9
#: Level of a randomised kernel: seconds, and three digits.
_REPLICATED_LEVEL = 8


@dataclass(frozen=True)
class LargestPenalty:
    """The lam beyond which S = 0.

    Attributes
    ----------
    lam : float
    error : float
        Its absolute error bar.
    m_hat, delta : float
        Of the matrix S0 + delta Z whose largest eigenvalue decides, at S = 0: lam_tilde is
        m_hat/2 times that eigenvalue.
    per_lam : float
        lam_tilde over lam.
    """

    lam: float
    error: float
    m_hat: float
    delta: float
    per_lam: float


def largest_penalty(problem: Problem) -> LargestPenalty:
    """lam_tilde = m_hat x_top(delta)/2 with the conjugates at q = m = sigma = 0.

    Of a symmetric map x_top is the eigenvalue furthest from zero; of any other map it is the
    largest singular value, and lam_tilde = m_hat x_top.

    Parameters
    ----------
    problem : Problem
        Any target and channel; the estimator must have a soft threshold.

    Raises
    ------
    BadInput
        For an estimator without a threshold in proportion to lam.
    """
    per_lam = float(threshold_per_lam(require_problem(problem, any_tokens=True).estimator))
    penalty = problem.estimator.trained()
    system = StateEvolution.of(problem)
    if system.matrix.whitened is not None:
        raise BadInput(
            "token_covariance", "a covariance", "has no formula for the penalty where S vanishes"
        )
    law, kernel = system.matrix.law, system.kernel
    nothing = Overlaps(0.0, 0.0, 0.0, traces=system.revealed.scaled(0.0))

    def noise(moments: ChannelMoments) -> tuple[float, float]:
        hats = system.conjugates(moments, nothing.traces)
        if not hats.m_hat > 0:
            raise BadInput(
                "target",
                problem.target.grammar(),
                "must have scores whose labels double precision can tell apart",
            )
        return hats.m_hat, hats.delta

    def threshold(moments: ChannelMoments) -> float:
        m_hat, delta = noise(moments)
        noisy = law.noisy(delta)
        furthest = noisy.top if penalty.positive else max(noisy.top, -noisy.bands()[0].lower)
        pulled = sum(system.conjugates(moments, nothing.traces).pulls)
        return penalty.freedom * (m_hat * furthest / 2 - pulled) / per_lam

    if isinstance(kernel, ReplicatedKernel):
        level = min(kernel.finest, _REPLICATED_LEVEL)
        moments = system.moments(nothing, level)
        value = threshold(moments)
        found = [threshold(one) for one in system.replicate_moments(nothing, level)]
        error = 4 * float(np.std(found, ddof=1)) / kernel.replicates**0.5
        return LargestPenalty(value, error + _ROUNDING * value, *noise(moments), per_lam)
    moments = system.moments(nothing, 0)
    value, change = threshold(moments), 0.0
    for level in range(1, kernel.finest + 1):
        before, moments = value, system.moments(nothing, level)
        value = threshold(moments)
        change = abs(value - before)
        if change < _ENOUGH * value:
            break
    return LargestPenalty(value, change + _ROUNDING * value, *noise(moments), per_lam)


def threshold_per_lam(estimator: Estimator) -> Surd:
    """lam_tilde at lam = 1, where it is in proportion to lam."""
    shape, none = estimator.shape, estimator.with_(lam=0).penalty
    if shape is None or none is None or none.thresholds or not shape.thresholds:
        raise BadInput(
            "training",
            estimator.name,
            "must be factorised for a collapse at finite lam",
            "a Frobenius penalty shrinks the map but never to 0",
        )
    return shape.linear
