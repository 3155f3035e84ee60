"""The theory of twice the weight decay."""

from __future__ import annotations

from model import Factorised, Problem
from verify.claims.claim import Control


def _doubled(problem: Problem) -> Problem:
    estimator = problem.estimator
    if not isinstance(estimator, Factorised):
        raise TypeError(f"no penalty to double in {type(estimator).__name__}")
    return problem.with_(estimator=Factorised(lam=2 * estimator.lam, kappa=estimator.kappa))


DOUBLED_PENALTY = Control(
    id="lam-doubled",
    statement="The weight decay enters the theory with a factor 2 (a common slip of convention).",
    wrong=_doubled,
)
