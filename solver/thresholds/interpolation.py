"""The interpolation threshold (theory.md section 7)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from attlas.solver.thresholds.decimals import significant
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult
from attlas.solver.thresholds.uniqueness import closed_form, interpolation_is_unique, proof

#: Digits of a number inside a sentence.
_IN_TEXT = 15


def interpolation(asked: Question) -> ThresholdResult:
    """The largest amount of noisy data that a positive semi-definite map fits exactly."""
    from attlas.symbolic.thresholds import interpolation_value, require_vanishing

    require_vanishing(asked.estimator)
    if not asked.estimator.trained().positive:
        return _any_map(asked)
    if asked.noise == 0:
        limit = significant(limit_without_noise(asked.rank) / asked.label_rank, _IN_TEXT)
        return asked.absent(
            "Without noise the target itself interpolates any amount of data, so there is no "
            f"interpolation threshold; as noise -> 0+ it tends to alpha = {limit}. What happens "
            "without noise is exact recovery: see the threshold perfect-recovery."
        )
    return asked.answer(
        partial(interpolation_value, asked.law, asked.noise),
        proof(interpolation_is_unique, asked.law, asked.noise),
        "For lam -> 0+ the training error is 0 up to this alpha and positive beyond; the test "
        "error has its peak here.",
    )


def _any_map(asked: Question) -> ThresholdResult:
    """A map without sign: a label for each free entry, whatever the target (section 19)."""
    if asked.noise == 0:
        return asked.absent(
            "Without noise the target itself interpolates any amount of data. What happens then "
            "is exact recovery: see the threshold perfect-recovery."
        )

    def value(*, arithmetic: str, digits: int) -> Any:
        import sympy as sp

        from attlas.symbolic.evaluate import evaluate

        return evaluate(sp.Rational(asked.freedom, 2), {}, arithmetic, digits)

    return asked.answer(
        value,
        closed_form,
        "For lam -> 0+ a map of any sign fits one label for each of its free entries, "
        "whatever the target and the noise; its squared error is infinite here.",
    )


def limit_without_noise(kappa0: Fraction) -> Fraction:
    """alpha D of the threshold as noise -> 0+: (1 + 2 kappa0 - kappa0^2)/4, or 1/2 from 1 on."""
    from attlas.solver.thresholds.decimals import exact_value
    from attlas.symbolic import notation as sym
    from attlas.symbolic.evaluate import evaluate
    from attlas.symbolic.thresholds.interpolation import AT_SMALL_NOISE

    form = AT_SMALL_NOISE.subs(sym.noise, 0)
    ratio = min(kappa0, Fraction(1))
    return exact_value(evaluate(form, {"kappa0": ratio}, "mpmath", 2 * _IN_TEXT))
