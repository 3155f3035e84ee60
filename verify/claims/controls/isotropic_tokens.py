"""The theory of other tokens than those that are drawn."""

from __future__ import annotations

from attlas.model import Problem, Tokens
from attlas.verify.claims.claim import Control


def _isotropic(problem: Problem) -> Problem:
    return problem.with_(tokens=Tokens())


def _told_apart(problem: Problem) -> bool:
    return not problem.tokens.like_gaussian


def _unnormalised(problem: Problem) -> Problem:
    return problem.with_(tokens=Tokens(covariance=problem.tokens.covariance))


def _normalised(problem: Problem) -> bool:
    return problem.tokens.normalised


ISOTROPIC_TOKENS = Control(
    id="isotropic-tokens",
    statement="Tokens enter the theory as independent Gaussian ones of covariance 1.",
    wrong=_isotropic,
    where=_told_apart,
)
FREE_LENGTH = Control(
    id="free-length",
    statement="The covariance of normalised tokens enters the theory, their fixed length does not.",
    wrong=_unnormalised,
    where=_normalised,
)
