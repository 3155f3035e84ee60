"""The theory of a tied head, for one whose queries and keys are untied."""

from __future__ import annotations

from typing import Any

from attlas.model import Atoms, Factorised, Problem, Wishart
from attlas.verify.claims.claim import Control


def _tied(problem: Problem) -> Problem:
    """A positive map with the teacher's singular values as eigenvalues."""
    estimator: Any = problem.estimator
    ratio, values = problem.target.factor_ratio, getattr(problem.target, "values", None)
    target = Atoms(values) if values is not None else Wishart(ratio)
    tied = Factorised(lam=estimator.lam, kappa=estimator.kappa)
    return problem.with_(target=target, estimator=tied)


def _whole(problem: Problem) -> bool:
    return problem.scores.square


TIED_THEORY = Control(
    id="tied-theory",
    statement="One matrix makes queries and keys: the theory of W Wᵀ is taken for W_Q W_Kᵀ.",
    wrong=_tied,
    where=_whole,
)
