"""Threshold: the penalty beyond which nothing is learned (theory.md section 9)."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any

from attlas.model import Problem
from attlas.model.errors import BadInput
from attlas.solver.largest_penalty import largest_penalty, threshold_per_lam
from attlas.solver.thresholds.decimals import significant, upper_bound
from attlas.solver.thresholds.evaluation import GUARD, evaluated
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult, ThresholdStats, ThresholdStatus
from attlas.solver.thresholds.uniqueness import closed_form

_DOUBLE_DIGITS = 15
_STATEMENT = (
    "S = 0 exactly for every lam beyond this one, at the problem's alpha and kappa: the threshold "
    "epsilon then exceeds the largest eigenvalue of S0 + delta Z."
)


def collapse(asked: Question) -> ThresholdResult:
    """The weight decay beyond which the learned map is zero."""
    problem = asked.problem
    if problem is None:
        raise BadInput(
            "alpha", None, "the threshold collapse is about a whole problem", "give its alpha"
        )
    target = problem.target
    curved = target.eigenvalues is None and target.background is None
    if curved and problem.channel.linear and problem.scores.symmetric:
        return _to_any_digits(asked, problem)
    if asked.digits > _DOUBLE_DIGITS or asked.certify:
        name = "digits" if asked.digits > _DOUBLE_DIGITS else "certify"
        raise BadInput(
            name,
            getattr(asked, name),
            "the collapse of this channel and target is computed in double precision",
            "ask for 15 digits without a certificate, or take `channel=linear` and a target with "
            "an R-transform",
        )
    found = largest_penalty(problem)
    digits = min(_DOUBLE_DIGITS, max(1, math.floor(-math.log10(2 * found.error / found.lam))))
    text = significant(Fraction(found.lam), digits)
    status = ThresholdStatus.FOUND if digits >= asked.digits else ThresholdStatus.LIMITED
    return _result(asked, text, None, digits, status)


def _to_any_digits(asked: Question, problem: Problem) -> ThresholdResult:
    from attlas.symbolic.thresholds import linear_collapse_value

    per_lam, law = threshold_per_lam(problem.estimator), asked.law

    def lam(*, arithmetic: str, digits: int) -> Any:
        from attlas.symbolic.arithmetic import arithmetic_named

        wide = linear_collapse_value(
            problem.alpha,
            law,
            problem.channel.noise,
            arithmetic,
            digits,
            problem.tokens.excess_kurtosis,
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
