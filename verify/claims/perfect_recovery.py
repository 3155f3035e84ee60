"""How the squared error of noiseless training vanishes in the limit of no penalty."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.bayes_threshold import BAYES_THRESHOLD
from attlas.verify.claims.controls.shifted_threshold import SHIFTED_THRESHOLD

_POINTS = (
    Point("linear", problem_from(alpha="0.3", lam="0.005", kappa0="0.5", tokens=1)),
    Point("linear, nearer", problem_from(alpha="0.36", lam="0.005", kappa0="0.5", tokens=1)),
    Point("softmax", problem_from(alpha="0.15", lam="0.0002", kappa0="0.5")),
)

PERFECT_RECOVERY = Claim(
    id="perfect-recovery",
    title="The threshold of perfect recovery",
    statement=(
        "Without noise and with a vanishing penalty the squared error falls to zero "
        "quadratically, at a definite number of samples that is the same for linear and softmax "
        "scores counted in labels, and larger than what the best method would need."
    ),
    equation="perfect-recovery",
    covers=Statement("7", "Where the target is recovered exactly."),
    measurement=(
        "Each data set is trained to the minimum along a path of three decreasing penalties. A "
        "line through the square root of its last squared error, with the theory's slope, vanishes "
        "at the run's own threshold. It is compared with the same line through the theory at the "
        "teacher's own eigenvalues; the deviation is extrapolated in 1/d. Two amounts of data give "
        "the same position where the approach is quadratic."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "position",
            "position of the threshold",
            r"\alpha_{\mathrm{perf}}",
            "where a line through the root of the squared error vanishes",
            cap=0.05,
        ),
    ),
    controls=(SHIFTED_THRESHOLD, BAYES_THRESHOLD),
    designs={
        "standard": Design(("linear",), {24: 24, 40: 20, 56: 14}, control_seeds=8),
        "full": Design(tuple(p.key for p in _POINTS), {32: 100, 48: 60, 80: 40}),
    },
    experiment="attlas.verify.experiments.small_penalty:RECOVERY",
)
