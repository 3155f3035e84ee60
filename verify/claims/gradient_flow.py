"""Heads trained by gradient descent follow the population flow in time."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement

# So many samples that what is left of their number is far below the margins at the end, and a
# decay that moves q by a fifth: T = 1 has steeper slopes, and one label from each sample.
_POINTS = (
    Point("softmax", problem_from(alpha="20", lam="2", kappa0="0.5")),
    Point("linear", problem_from(alpha="40", lam="24", kappa0="0.5", tokens=1)),
)
_ALL = tuple(point.key for point in _POINTS)
_WHEN = {1: "when the mode of eigenvalue 1 turns", 2: "at twice that time"}
_NAMES = {
    "q": ("self-overlap", "Tr S²/d", 0.05),
    "m": ("overlap with the teacher", "Tr S S₀/d", 0.02),
}

GRADIENT_FLOW = Claim(
    id="gradient-flow",
    title="Gradient descent follows the population flow",
    statement=(
        "With many samples, training from a small start is a flow of which only two numbers, the "
        "slopes of the loss in q and m, change in time: every mode of the teacher escapes at its "
        "own time, and q, m and the times are those of the flow, for steps from all samples and "
        "from small batches."
    ),
    equation="dynamics",
    covers=Statement("20", "Training in time follows the population flow."),
    measurement=(
        "A head starts at S = 0.01 I and takes 100 steps of gradient descent from all samples, or "
        "from an eighth of them in turn. It is compared with descent of the same step size on the "
        "population loss at the teacher's own eigenvalues, the deviation extrapolated in 1/d. "
        "Heads escape later than the flow, by a share of the time that falls as 1/d."
    ),
    points=_POINTS,
    quantities=(
        *(
            Quantity(
                f"{key}_{turn}{suffix}",
                f"{name} {when}{batches}",
                rf"{key}(t_{turn})",
                measured,
                cap=cap,
            )
            for suffix, batches in (("", ""), ("_sgd", ", small batches"))
            for turn, when in _WHEN.items()
            if turn == 2 or not suffix
            for key, (name, measured, cap) in _NAMES.items()
        ),
        *(
            Quantity(
                f"escape{suffix}",
                f"time of escape{batches}",
                r"t_{\mathrm{escape}}",
                "when q first is a quarter of Tr S₀²/d",
                cap=0.05,
            )
            for suffix, batches in (("", ""), ("_sgd", ", small batches"))
        ),
    ),
    controls=(
        Control("no-decay", "The weight decay has no part in the flow."),
        Control("flat-spectrum", "The teacher's eigenvalues are all equal to their mean."),
    ),
    designs={
        "standard": Design(_ALL, {24: 20, 34: 14, 48: 5}, control_seeds=4),
        "full": Design(_ALL, {24: 40, 40: 24, 80: 12}, control_seeds=8),
    },
    experiment="attlas.verify.experiments.flow:FLOW",
)
