"""The theory of twice the weight decay."""

from __future__ import annotations

from typing import Any

from attlas.model import Problem
from attlas.verify.claims.claim import Control


def _doubled(problem: Problem) -> Problem:
    estimator: Any = problem.estimator
    return problem.with_(estimator=estimator.with_(lam=2 * estimator.lam))


DOUBLED_PENALTY = Control(
    id="lam-doubled",
    statement="The penalty enters the theory with a factor 2 (a common slip of convention).",
    wrong=_doubled,
)
