"""Direct training of the map under a ridge penalty."""

from __future__ import annotations

from typing import Any

from attlas.model import Direct, DirectPSD, Problem, problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Statement
from attlas.verify.claims.controls import DOUBLED_PENALTY, DROPPED_FACTORS
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP, TEST_ERROR, TRAIN_ERROR


def _other_sign(problem: Problem) -> Problem:
    """Positive where the run is not, and the other way round."""
    estimator: Any = problem.estimator
    other = Direct if estimator.trained().positive else DirectPSD
    return problem.with_(estimator=other(lam=estimator.lam))


def _problem(training: str, tokens: int = 2) -> Problem:
    return problem_from(
        alpha="0.3", lam="0.1", kappa0="0.5", noise="0.5", training=training, tokens=tokens
    )


_POINTS = (
    Point("symmetric map", _problem("direct")),
    Point("positive map", _problem("direct-psd")),
    Point("linear, symmetric map", _problem("direct", 1)),
    Point("linear, positive map", _problem("direct-psd", 1)),
)

DIRECT_TRAINING = Claim(
    id="direct-training",
    title="Direct training of the map",
    statement=(
        "A head whose map S is trained itself under the ridge penalty dλ‖S‖²/2, symmetric or "
        "positive, has the errors and overlaps of the same six equations with another denoiser."
    ),
    equation="direct",
    covers=Statement("11", "Direct training of the map under a ridge."),
    picture="rivals",
    measurement=(
        "S is trained by L-BFGS (symmetric) or by accelerated proximal gradient (positive) to a "
        "certificate, compared with the theory at the teacher's own eigenvalues, and the deviation "
        "is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(LOSS, TRAIN_ERROR, TEST_ERROR, SELF_OVERLAP, OVERLAP),
    controls=(
        DOUBLED_PENALTY,
        DROPPED_FACTORS,
        Control(
            "positivity-exchanged",
            "The denoiser is that of a positive map where the map is not, and the other way round.",
            _other_sign,
        ),
    ),
    designs={
        "standard": Design(tuple(p.key for p in _POINTS), {16: 40, 24: 40, 40: 30, 64: 16}),
        "full": Design(tuple(p.key for p in _POINTS), {40: 200, 80: 100, 160: 60}),
    },
    curve_alphas=("0.1", "0.15", "0.2", "0.3", "0.4", "0.5", "0.7"),
)
