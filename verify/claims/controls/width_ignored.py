"""The theory of a student as wide as its penalty wants."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from attlas.model import Factorised, Problem
from attlas.verify.claims.claim import Control


def _wide(problem: Problem) -> Problem:
    narrow: Any = problem.estimator
    return problem.with_(estimator=Factorised(lam=Fraction(narrow.lam_tilde)))


WIDTH_IGNORED = Control(
    id="width-ignored",
    statement="The width does not limit the rank: a wide student with the same nuclear norm.",
    wrong=_wide,
)
