"""The Bayes-optimal floor is what message passing reaches."""

from __future__ import annotations

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls import HALVED_NOISE
from attlas.verify.claims.controls.all_scores_seen import ALL_SCORES_SEEN
from attlas.verify.claims.quantities import OVERLAP


def _problem(alpha: str, noise: str, tokens: int) -> Problem:
    return problem_from(alpha=alpha, kappa0="0.5", noise=noise, tokens=tokens, training="bayes")


_POINTS = (
    Point("linear, noisy labels", _problem("0.4", "0.5", 1)),
    Point("softmax", _problem("0.1", "0", 2)),
    Point("softmax, noisy labels", _problem("0.2", "0.5", 2)),
    Point("three tokens, noisy labels", _problem("0.1", "0.5", 3)),
)

BAYES_FLOOR = Claim(
    id="bayes-floor",
    title="The Bayes-optimal floor",
    statement=(
        "The error that no estimate of the map can undercut is reached: message passing with the "
        "posterior means of scores and of eigenvalues has it, for one, two and three tokens. "
        "Labels of T tokens say as much as (T² + T − 2)/2 noisy linear measurements."
    ),
    equation="bayes",
    covers=Statement("12", "The Bayes-optimal floor that no training passes."),
    measurement=(
        "Message passing with the posterior mean runs from S = 0 until the map settles. Its "
        "overlaps and squared error, as shares of the teacher's own Tr S₀²/d, are compared with "
        "the Bayes-optimal equations; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        Quantity("q", "self-overlap", "q", "Tr S²/d of the estimate"),
        OVERLAP,
        Quantity("mse", "squared error", r"\|S - S_0\|^2/d", "of the map", cap=0.05),
    ),
    controls=(HALVED_NOISE, ALL_SCORES_SEEN),
    designs={
        "full": Design(tuple(p.key for p in _POINTS), {32: 200, 64: 100, 128: 40}),
    },
    absent={
        "standard": "Runs scatter over d by 55 to 110 times the margins: some 1000 a point would "
        "decide, four times as many as that suite has made.",
    },
    experiment="attlas.verify.experiments.bayes:BAYES",
)
