"""Where the band of the signal separates from the bulk (theory.md sections 7 and 9)."""

from __future__ import annotations

from functools import partial

from attlas.model.errors import BadInput
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult
from attlas.solver.thresholds.uniqueness import proof, split_is_unique


def bulk_split(asked: Question) -> ThresholdResult:
    """The alpha beyond which the ridgeless noiseless spectrum has two bands."""
    from attlas.symbolic.thresholds.bulk_split import bulk_split_value

    ratio = asked.target.wishart_ratio
    if ratio is None:
        valid = "must be a Wishart target: where two bands meet is known in closed form there"
        raise BadInput("target", asked.target.grammar(), valid)
    if ratio >= 1:
        return asked.absent(
            "A target of full rank has no bulk of null directions: the law of S0 + delta Z has one "
            "band at every delta, so nothing splits off."
        )
    if asked.noise > 0:
        return asked.absent(
            "This threshold is that of the noiseless ridgeless solution. Ask at noise 0."
        )
    return asked.answer(
        partial(bulk_split_value, ratio),
        proof(split_is_unique, ratio),
        "Without noise and for lam -> 0+ the law of S0 + delta Z has one band below this alpha and "
        "two beyond it, of masses 1 - kappa0 and kappa0.",
    )
