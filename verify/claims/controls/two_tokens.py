"""The theory of two tokens with as many label differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attlas.model import Problem
from attlas.verify.claims.claim import Control


def _applies(problem: Problem) -> bool:
    return problem.channel.label_rank > 2


def _two(problem: Problem) -> Problem:
    channel: Any = problem.channel
    two = replace(channel, tokens=2)
    share = problem.alpha * channel.label_rank / two.label_rank
    return problem.with_(channel=two, alpha=share)


TWO_TOKENS = Control(
    id="two-tokens",
    statement=(
        "More tokens are two tokens with more samples: the theory of T = 2 at the same number of "
        "label differences."
    ),
    wrong=_two,
    where=_applies,
)
