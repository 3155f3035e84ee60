"""The height of the error peak at the interpolation threshold."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.shifted_threshold import SHIFTED_THRESHOLD

#: At the interpolation threshold: 0.30696... for kappa0 = noise = 1/2, and half of it.
_POINTS = (
    Point(
        "linear, at the threshold",
        problem_from(alpha="0.307", lam="0.04", kappa0="0.5", noise="0.5", tokens=1),
    ),
    Point(
        "softmax, at the threshold",
        problem_from(alpha="0.1535", lam="0.002", kappa0="0.5", noise="0.5"),
    ),
)

RIDGELESS_PEAK = Claim(
    id="ridgeless-peak",
    title="The height of the interpolation peak",
    statement=(
        "At the interpolation threshold the error of a positive map stays finite however small "
        "the penalty is, and approaches its height at the rate that the theory gives."
    ),
    equation="interpolation",
    covers=Statement("8", "The height of the error peak at interpolation."),
    measurement=(
        "Each data set, at the threshold, is trained to the minimum at two penalties, the second "
        "an eighth of the first, and compared with the theory at the teacher's own eigenvalues; "
        "the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=tuple(
        Quantity(
            f"{key}_{place}",
            f"{name}, {place} penalty",
            f"{symbol}^{{({number})}}",
            f"at the {place} penalty",
            cap=0.05,
        )
        for key, name, symbol in (
            ("mse", "squared error", r"\|S - S_0\|^2/d"),
            ("train_error", "training error", r"e_{\mathrm{train}}"),
        )
        for number, place in ((1, "larger"), (2, "smaller"))
    ),
    controls=(SHIFTED_THRESHOLD,),
    designs={
        "full": Design(tuple(p.key for p in _POINTS), {32: 100, 48: 60, 80: 40}),
    },
    absent={
        "standard": "Runs scatter over d by 60 to 220 times the margins: some 300 would decide two "
        "of four questions, four times as many as that suite has made.",
    },
    experiment="attlas.verify.experiments.small_penalty:PEAK",
)
