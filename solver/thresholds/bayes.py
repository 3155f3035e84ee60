"""The recovery threshold of the Bayes-optimal estimate (theory.md section 12)."""

from __future__ import annotations

from functools import partial

from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult
from attlas.solver.thresholds.uniqueness import closed_form


def bayes(asked: Question) -> ThresholdResult:
    """The amount of noiseless data beyond which any method could recover the target exactly."""
    from attlas.symbolic.thresholds import bayes_value

    if asked.noise > 0:
        return asked.absent(
            "With noise not even the Bayes-optimal estimate is exact at any alpha. Ask at noise 0."
        )
    return asked.answer(
        partial(bayes_value, asked.rank),
        closed_form,
        "Without noise the posterior concentrates on the target beyond this alpha, which is also "
        "the number of the target's parameters; no method recovers it with less data.",
    )
