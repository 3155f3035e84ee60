"""The perfect-recovery threshold (theory.md sections 7 and 19)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from attlas.solver.thresholds.decimals import exact_value, significant
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult
from attlas.solver.thresholds.uniqueness import closed_form, proof, recovery_is_unique

_IN_TEXT = 15


def perfect_recovery(asked: Question) -> ThresholdResult:
    """The amount of noiseless data beyond which the target is learned exactly."""
    from attlas.symbolic.thresholds import (
        jump_value,
        perfect_recovery_value,
        require_nuclear,
    )

    require_nuclear(asked.estimator)

    if asked.noise > 0:
        return asked.absent(
            "With noise the target is never recovered exactly: the squared error falls smoothly "
            "with alpha. Ask at noise 0, or for the threshold interpolation."
        )
    value = partial(perfect_recovery_value, asked.rank, freedom=asked.freedom)
    if asked.rank < 1:
        return asked.answer(
            value,
            proof(recovery_is_unique, asked.rank, asked.freedom),
            "Without noise and for lam -> 0+ the target is recovered exactly beyond this alpha; "
            "the squared error vanishes quadratically as it is approached from below.",
        )
    needed = Fraction(asked.freedom, 2)
    how = "Without noise and for lam -> 0+ the target is recovered exactly from this alpha on"
    ratio = asked.target.wishart_ratio
    if ratio is not None and ratio > 1:
        jump = significant(exact_value(jump_value(ratio, "mpmath", 2 * _IN_TEXT)), _IN_TEXT)
        how += f", by a jump: the squared error just below it is {jump}"
    full = f"A target of full rank needs alpha D = {needed}."
    return asked.answer(value, closed_form, f"{how}. {full}")
