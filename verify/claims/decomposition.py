"""What each part of the learned spectrum costs in error."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.larger_parameters import DELTA_LARGER

_POINTS = (
    Point("one band", problem_from(alpha="0.3", lam="0.05", kappa0="0.5", noise="0.5")),
    Point("two bands", problem_from(alpha="0.3", lam="0.05", kappa0="0.1", noise="0.5")),
)
_ALL = tuple(point.key for point in _POINTS)

DECOMPOSITION = Claim(
    id="decomposition",
    title="Overfitting, underfitting and approximation",
    statement=(
        "The squared error of a trained head is the sum of what it learned where the target has "
        "nothing (overfitting), of the target's directions that it lost (underfitting), and of "
        "what is left along those that it kept (approximation); each has its predicted size."
    ),
    equation="spectrum",
    covers=Statement(
        "13", "The error splits into overfitting, underfitting, approximation, mismatch."
    ),
    measurement=(
        "The eigenvectors of each trained map are projected on those of its teacher, and the "
        "squared distance from the best multiple of the teacher is split, which is exact. Each "
        "part is compared with theory at the teacher's own eigenvalues, and the deviation is "
        "extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "over",
            "overfitting",
            r"\mathbb E[\hat s^2; s = 0]",
            "learned in directions that the target does not have",
        ),
        Quantity(
            "under",
            "underfitting",
            r"\mathbb E[\eta_*^2 s^2; \hat s = 0]",
            "directions of the target that are lost",
        ),
        Quantity(
            "approx",
            "approximation",
            r"\mathbb E[(\hat s - \eta_* s)^2; \hat s, s > 0]",
            "what is left along the directions that were kept",
        ),
        Quantity(
            "error_scaled",
            "their sum",
            r"\|S - \eta_* S_0\|^2/d",
            "distance from the best multiple of the target",
        ),
    ),
    controls=(
        Control("threshold-missing", "No direction is lost: ε = 0."),
        DELTA_LARGER,
    ),
    designs={
        "full": Design(_ALL, {40: 200, 80: 100, 160: 40}, control_seeds=20),
    },
    absent={
        "standard": "The parts scatter over d by 150 to 500 times the margin of 2 %, and still "
        "fall steeply at its largest d: no affordable number of runs would decide.",
    },
    experiment="attlas.verify.experiments.decomposition:DECOMPOSITION",
)
