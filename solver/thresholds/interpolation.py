"""The interpolation threshold (theory.md section 7)."""

from __future__ import annotations

from functools import partial

from solver.thresholds.decimals import significant
from solver.thresholds.question import Question
from solver.thresholds.result import ThresholdResult
from solver.thresholds.uniqueness import interpolation_is_unique, proof

#: Digits of a number inside a sentence.
_IN_TEXT = 15


def interpolation(asked: Question) -> ThresholdResult:
    """The largest amount of noisy data that a positive semi-definite map fits exactly."""
    from symbolic.thresholds import interpolation_value

    if asked.noise == 0:
        limit = significant(_limit(asked) / asked.label_rank, _IN_TEXT)
        return asked.absent(
            "Without noise the target itself interpolates any amount of data, so there is no "
            f"interpolation threshold; as noise -> 0+ it tends to alpha = {limit}. What happens "
            "without noise is exact recovery: see the threshold perfect-recovery."
        )
    return asked.answer(
        partial(interpolation_value, asked.kappa0, asked.noise),
        proof(interpolation_is_unique, asked.kappa0, asked.noise),
        "For lam -> 0+ the training error is 0 up to this alpha and positive beyond; the test "
        "error has its peak here.",
    )


def _limit(asked: Question):
    from solver.thresholds.decimals import exact_value
    from symbolic import notation as sym
    from symbolic.evaluate import evaluate
    from symbolic.thresholds.interpolation import AT_SMALL_NOISE

    ratio = min(asked.kappa0, type(asked.kappa0)(1))
    form = AT_SMALL_NOISE.subs(sym.noise, 0)
    return exact_value(evaluate(form, {"kappa0": ratio}, "mpmath", 2 * _IN_TEXT))
