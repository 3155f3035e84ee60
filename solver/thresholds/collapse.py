"""The penalty beyond which nothing is learned (theory.md section 9)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from attlas.model import Estimator, Problem
from attlas.model.channels import label_strength
from attlas.model.errors import BadInput
from attlas.model.exact import Surd
from attlas.solver.channels import ChannelMoments, ReplicatedKernel, channel_kernel
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.spectrum import target_law
from attlas.solver.thresholds.decimals import significant, upper_bound
from attlas.solver.thresholds.evaluation import GUARD, evaluated
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult, ThresholdStats, ThresholdStatus
from attlas.solver.thresholds.uniqueness import closed_form

_NOTHING = Overlaps(q=0.0, m=0.0, sigma=0.0)
_ROUNDING = 1e-14
#: Relative change between levels of integration that is small enough to stop.
_ENOUGH = 1e-9
#: Level of a randomised kernel: seconds, and three digits.
_REPLICATED_LEVEL = 8
_DOUBLE_DIGITS = 15
_STATEMENT = (
    "S = 0 exactly for every lam beyond this one, at the problem's alpha and kappa: the threshold "
    "2 lam_tilde/m_hat then exceeds the largest eigenvalue of S0 + delta Z."
)


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

    Of a symmetric map x_top is the eigenvalue furthest from zero.

    Parameters
    ----------
    problem : Problem
        Any target and channel; the estimator must have a soft threshold.

    Raises
    ------
    BadInput
        For an estimator without a threshold in proportion to lam.
    """
    per_lam = float(_threshold_per_lam(problem.estimator))
    positive = problem.estimator.trained().positive
    law, kernel = target_law(problem.target), channel_kernel(problem.channel)
    signal = label_strength(law.q0, float(problem.channel.noise))
    alpha = float(problem.alpha)

    def noise(moments: ChannelMoments) -> tuple[float, float]:
        m_hat = -2 * alpha * moments.d_m
        if not m_hat > 0:
            raise BadInput(
                "target",
                problem.target.grammar(),
                "must have scores whose labels double precision can tell apart",
            )
        return m_hat, Conjugates(-4 * alpha * moments.d_sigma, m_hat, 1.0).delta

    def penalty(moments: ChannelMoments) -> float:
        m_hat, delta = noise(moments)
        noisy = law.noisy(delta)
        furthest = noisy.top if positive else max(noisy.top, -noisy.bands()[0].lower)
        return m_hat * furthest / (2 * per_lam)

    if isinstance(kernel, ReplicatedKernel):
        level = min(kernel.finest, _REPLICATED_LEVEL)
        moments = kernel.moments(_NOTHING, signal, level)
        value = penalty(moments)
        found = [
            penalty(kernel.replicate(index).moments(_NOTHING, signal, level))
            for index in range(kernel.replicates)
        ]
        error = 4 * float(np.std(found, ddof=1)) / kernel.replicates**0.5
        return LargestPenalty(value, error + _ROUNDING * value, *noise(moments), per_lam)
    moments = kernel.moments(_NOTHING, signal, 0)
    value, change = penalty(moments), 0.0
    for level in range(1, kernel.finest + 1):
        before, moments = value, kernel.moments(_NOTHING, signal, level)
        value = penalty(moments)
        change = abs(value - before)
        if change < _ENOUGH * value:
            break
    return LargestPenalty(value, change + _ROUNDING * value, *noise(moments), per_lam)


def _threshold_per_lam(estimator: Estimator) -> Surd:
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


def collapse(asked: Question) -> ThresholdResult:
    """The weight decay beyond which the learned map is zero."""
    problem = asked.problem
    if problem is None:
        raise BadInput(
            "alpha", None, "the threshold collapse is about a whole problem", "give its alpha"
        )
    ratio = problem.target.wishart_ratio
    if problem.channel.linear and ratio is not None:
        return _to_any_digits(asked, problem, ratio)
    if asked.digits > _DOUBLE_DIGITS or asked.certify:
        raise BadInput(
            "digits" if asked.digits > _DOUBLE_DIGITS else "certify",
            asked.digits if asked.digits > _DOUBLE_DIGITS else asked.certify,
            "the collapse of this channel and target is computed in double precision",
            "ask for 15 digits without a certificate, or take `tokens=1` and a Wishart target",
        )
    found = largest_penalty(problem)
    digits = min(_DOUBLE_DIGITS, max(1, math.floor(-math.log10(2 * found.error / found.lam))))
    text = significant(Fraction(found.lam), digits)
    status = ThresholdStatus.FOUND if digits >= asked.digits else ThresholdStatus.LIMITED
    return _result(asked, text, None, digits, status)


def _to_any_digits(asked: Question, problem: Problem, ratio: Fraction) -> ThresholdResult:
    from attlas.symbolic.thresholds import linear_collapse_value

    per_lam = _threshold_per_lam(problem.estimator)

    def lam(*, arithmetic: str, digits: int) -> Any:
        from attlas.symbolic.arithmetic import arithmetic_named

        wide = linear_collapse_value(
            problem.alpha, ratio, problem.channel.noise, arithmetic, digits
        )
        numbers = arithmetic_named(arithmetic, digits)
        with numbers.precision():
            root = numbers.power(numbers.read(per_lam.radicand), numbers.ratio(1, 2))
            return numbers.finish(numbers.read(wide) / (root * numbers.read(per_lam.factor)))

    found = evaluated(lam, asked.digits, asked.certify, closed_form)
    text = significant(found.value, asked.digits)
    radius = None
    if found.radius is not None:
        radius = upper_bound(found.radius + abs(Fraction(text) - found.value))
    return _result(asked, text, radius, asked.digits, asked.status(radius))


def _result(
    asked: Question, lam: str, radius: str | None, digits: int, status: ThresholdStatus
) -> ThresholdResult:
    return ThresholdResult(
        name=asked.name,
        alpha=None,
        alpha_times_D=None,
        digits=digits,
        certified=radius is not None,
        radius=radius,
        statement=_STATEMENT,
        status=status,
        stats=ThresholdStats(time.perf_counter() - asked.began, digits + GUARD),
        lam=lam,
    )
