"""The theory of twice the weight decay."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Direct, DirectPSD, Factorised, Problem
from attlas.verify.claims.claim import Control


def _doubled(problem: Problem) -> Problem:
    estimator = problem.estimator
    if not isinstance(estimator, Factorised | Direct | DirectPSD):
        raise TypeError(f"no penalty to double in {type(estimator).__name__}")
    return problem.with_(estimator=replace(estimator, lam=2 * estimator.lam))


DOUBLED_PENALTY = Control(
    id="lam-doubled",
    statement="The penalty enters the theory with a factor 2 (a common slip of convention).",
    wrong=_doubled,
)
