"""The theory of labels that show the scores with their shift."""

from __future__ import annotations

from fractions import Fraction

from attlas.model import Problem
from attlas.verify.claims.claim import Control


def _applies(problem: Problem) -> bool:
    return problem.channel.label_rank > 1


def _one_more(problem: Problem) -> Problem:
    """As if each label said one score more than it does."""
    seen = problem.channel.label_rank
    return problem.with_(alpha=problem.alpha * Fraction(seen + 1, seen))


ALL_SCORES_SEEN = Control(
    id="all-scores-seen",
    statement=(
        "Softmax labels show all T(T + 1)/2 scores, not only their differences: more data by "
        "one part in their number of differences."
    ),
    wrong=_one_more,
    where=_applies,
)
