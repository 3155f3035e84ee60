"""Training on attended tokens and on attention matrices has one limit."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Statement
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP, TEST_ERROR, TRAIN_ERROR

_POINTS = (
    Point("softmax, more data", problem_from(alpha="0.5", lam="0.01", kappa0="0.5")),
    Point(
        "softmax, noisy labels", problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
    ),
)

SEQ2SEQ = Claim(
    id="seq2seq",
    title="Attended tokens and attention matrices have one limit",
    statement=(
        "A head trained to reproduce the teacher's attended tokens and one trained to reproduce "
        "its attention matrix have the same errors and overlaps in high dimension; at finite d "
        "they differ by an amount that falls as 1/d."
    ),
    equation="state-evolution",
    covers=Statement("1", "Learning attention matrices or attended tokens has one limit."),
    measurement=(
        "The same teacher and tokens are trained for either output; the relative difference is "
        "extrapolated in 1/d. The power of d by which it falls is fitted too, and listed among the "
        "numbers of the tests."
    ),
    points=_POINTS,
    quantities=(LOSS, TRAIN_ERROR, TEST_ERROR, SELF_OVERLAP, OVERLAP),
    controls=(
        Control(
            "averaged-over-tokens",
            "The loss of attended tokens is an average over them, not a sum: T times the penalty.",
        ),
    ),
    designs={
        "quick": Design(
            (_POINTS[0].key,),
            {14: 12, 20: 8, 32: 6},
        ),
        "standard": Design(tuple(p.key for p in _POINTS), {14: 60, 20: 60, 32: 30, 56: 12}),
        "full": Design(tuple(p.key for p in _POINTS), {32: 100, 64: 60, 128: 40, 200: 20}),
    },
    experiment="attlas.verify.experiments.tasks:TASKS",
)
