"""Where drawn labels can no longer be fitted without error."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement

#: alpha is what is drawn; the threshold is at 0.5718.
_POINTS = (
    Point(
        "two tokens, noisy scores",
        problem_from(alpha=1, lam=1, kappa0="0.5", noise=1, beta0=2, channel="next-token"),
    ),
)

SEPARABILITY = Claim(
    id="separability",
    title="Separability of drawn labels",
    statement=(
        "Labels that are drawn from the teacher's softmax can be put first by some positive map "
        "up to a definite number of samples, where the limit of the cross-entropy without a "
        "penalty ceases to be zero."
    ),
    equation="separability",
    covers=Statement("18", "Where drawn labels can no longer be fitted."),
    measurement=(
        "Whether the first n samples of a data set are separable is decided by an interior point "
        "method: by a map that separates them, or by the duality gap. The n at which the answer "
        "changes is bracketed to 5 %, and n/d² compared with the threshold at the teacher's own "
        "eigenvalues; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "separable_alpha",
            "threshold of separability",
            r"\alpha_{\mathrm{sep}}",
            "samples over d² up to which the data's own labels are separable",
            cap=0.12,
        ),
    ),
    controls=(
        Control("cone-dropped", "Any symmetric map may be learned, not only a positive one."),
        Control("rows-independent", "Rows of scores are independent, as of untied heads."),
        Control("noise-dropped", "Labels are drawn from scores without noise."),
    ),
    designs={
        "full": Design((_POINTS[0].key,), {16: 120, 22: 80, 30: 40}, control_seeds=6),
    },
    absent={
        "standard": "At d = 10 to 27 its runs lay 10 to 25 % below the threshold and did not fall "
        "as 1/d: no design is known that decides it.",
    },
    experiment="attlas.verify.experiments.separability:SEPARABILITY",
)
