"""The theory of a student as wide as its penalty wants."""

from __future__ import annotations

from fractions import Fraction

from attlas.model import Factorised, Problem
from attlas.verify.claims.claim import Control


def _wide(problem: Problem) -> Problem:
    narrow = problem.estimator
    return problem.with_(estimator=Factorised(lam=Fraction(float(narrow.trained().linear))))


WIDTH_IGNORED = Control(
    id="width-ignored",
    statement="The width does not limit the rank: a wide student with the same nuclear norm.",
    wrong=_wide,
)
