"""The theory of an untied head with the noise and the count of entries of a symmetric map."""

from __future__ import annotations

from typing import Any

from attlas.model import Problem
from attlas.verify.claims.claim import Control


def _symmetric(problem: Problem) -> Problem:
    """d^2/2 free entries instead of d^2: the equations at twice alpha and penalty."""
    estimator: Any = problem.estimator
    doubled = estimator.with_(lam=2 * estimator.lam)
    return problem.with_(alpha=2 * problem.alpha, estimator=doubled)


SYMMETRIC_NOISE = Control(
    id="symmetric-noise",
    statement="The noise in the map is symmetric: d²/2 free entries are counted, not d².",
    wrong=_symmetric,
)
