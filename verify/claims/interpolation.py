"""Where the training error becomes positive in the limit of no penalty."""

from __future__ import annotations

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.shifted_threshold import SHIFTED_THRESHOLD


def _problem(alpha: str, lam: str, tokens: int) -> Problem:
    return problem_from(alpha=alpha, lam=lam, kappa0="0.5", noise="0.5", tokens=tokens)


#: The threshold is at 0.3070 for the linear channel, and at 0.1535 for two tokens.
_POINTS = (
    Point("linear, below the threshold", _problem("0.2", "0.02", 1)),
    Point("linear, above the threshold", _problem("0.4", "0.02", 1)),
    Point("softmax, below the threshold", _problem("0.1", "0.001", 2)),
)

INTERPOLATION = Claim(
    id="interpolation",
    title="The interpolation threshold",
    statement=(
        "Lowering the penalty by a factor 8 lowers the training error by nearly 64 below a "
        "definite number of samples, where the labels can be fitted exactly, and by less than two "
        "above it."
    ),
    equation="interpolation",
    covers=Statement("7", "Where labels can no longer be fitted exactly."),
    measurement=(
        "Each data set is trained to the minimum along a path of three decreasing penalties. A "
        "line through a root of the last training error, with the theory's slope, vanishes near "
        "the run's own threshold (below it the root is one over the square root, above it alpha "
        "times the square root). It is compared with the same line through the theory at the "
        "teacher's own eigenvalues; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "position",
            "position of the threshold",
            r"\alpha_{\mathrm{int}}",
            "where a line through a root of the training error vanishes",
            cap=0.05,
        ),
        Quantity(
            "fall",
            "fall of the training error",
            r"e_{\mathrm{train}}^{(2)}/e_{\mathrm{train}}^{(1)}",
            "training error at the last penalty over that at eight times the penalty",
            cap=0.05,
        ),
    ),
    controls=(SHIFTED_THRESHOLD,),
    designs={
        "standard": Design(
            tuple(p.key for p in _POINTS[:2]), {36: 24, 56: 18, 88: 10}, control_seeds=4
        ),
        "full": Design(tuple(p.key for p in _POINTS), {32: 100, 48: 60, 80: 40}),
    },
    experiment="attlas.verify.experiments.small_penalty:INTERPOLATION",
)
