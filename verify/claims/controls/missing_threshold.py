"""The theory without its soft threshold: every positive eigenvalue survives, unshrunk."""

from __future__ import annotations

from attlas.model import DirectPSD, Problem
from attlas.verify.claims.claim import Control


def _applies(problem: Problem) -> bool:
    penalty = problem.estimator.penalty
    return penalty is not None and penalty.nuclear and problem.channel.linear


def _unthresholded(problem: Problem) -> Problem:
    """Positive maps without a penalty: the denoiser is eta max(x, 0), on either side of a_int."""
    return problem.with_(estimator=DirectPSD(0))


MISSING_THRESHOLD = Control(
    id="threshold-missing",
    statement=(
        "Eigenvalues are not shrunk: the soft threshold 2λ̃/m̂ is left out. Checked for linear "
        "scores, where the theory without it is solved in closed form."
    ),
    wrong=_unthresholded,
    where=_applies,
)
