"""Gradient training reaches the global minimum, and where it does not."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import (
    Claim,
    Control,
    Departure,
    Design,
    LeftOut,
    Point,
    Quantity,
    Statement,
)

_POINTS = (
    Point("softmax, little data", problem_from(alpha="0.2", lam="0.01", kappa0="0.5")),
    Point(
        "softmax, noisy labels", problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
    ),
    Point("strong noise", problem_from(alpha="0.2", lam="0.01", kappa0="0.5", noise="2")),
)

GLOBAL_MINIMUM = Claim(
    id="global-minimum",
    title="Gradient training finds the global minimum",
    statement=(
        "From large, small and adversarial starts, gradient training of the factor ends at one "
        "objective, which is that of message passing and of proximal gradient on the map: where "
        "the theory is stable, training is not trapped."
    ),
    equation="state-evolution",
    covers=Statement(
        "10", "Gradient training, message passing and proximal gradient reach one minimum."
    ),
    measurement=(
        "Each data set is trained from three starts (entries of order one; of order 1/100; a "
        "strong map of low rank unrelated to the teacher), by message passing, by proximal "
        "gradient from two starts, and by plain Adam without L-BFGS. The worst of each kind is "
        "compared with the best of all. The loss is not convex in S: agreement of the roads is "
        "evidence for a global minimum, not a proof."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "worst_start",
            "worst start",
            r"\max L(W)",
            "largest objective over the starts of gradient training",
            cap=1e-9,
        ),
        Quantity(
            "roads",
            "worst other road",
            r"\max L(S)",
            "largest objective of message passing and proximal gradient",
            cap=1e-9,
        ),
        Quantity(
            "plain_adam",
            "plain Adam",
            r"L_{\mathrm{Adam}}",
            "objective after 1000 steps of Adam in single precision, as people run it",
            cap=1e-3,
        ),
    ),
    controls=(
        Control(
            "narrow-student",
            "The minimum is that of a student with an eighth of the width, which cannot hold the "
            "rank that the penalty wants.",
        ),
    ),
    designs={
        "quick": Design((_POINTS[0].key,), {10: 3, 13: 3, 16: 3}, control_seeds=3),
        "standard": Design(
            tuple(p.key for p in _POINTS[:2]),
            {12: 6, 18: 6, 24: 6},
            left_out=(
                LeftOut(
                    "With strong noise a quarter of the runs end without a certificate, and the "
                    "others may be a biased selection: the full suite asks.",
                    points=(_POINTS[2].key,),
                ),
            ),
        ),
        "full": Design(tuple(p.key for p in _POINTS), {24: 20, 48: 20, 96: 20}),
    },
    departures=tuple(
        Departure(
            _POINTS[2].key,
            quantity,
            1e-5,
            0.1,
            "with strong noise and little data the loss has several certified local minima, up to "
            "a few percent above the best",
        )
        for quantity in ("worst_start", "roads")
    ),
    experiment="attlas.verify.experiments.global_minimum:GLOBAL_MINIMUM",
)
