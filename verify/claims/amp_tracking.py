"""Message passing follows state evolution, iteration by iteration."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement

_POINTS = (
    Point("softmax, little data", problem_from(alpha="0.2", lam="0.01", kappa0="0.5")),
    Point(
        "softmax, noisy labels", problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
    ),
    Point("linear", problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", tokens=1)),
)
_STEPS = (1, 2, 4)
_NAMES = {
    "q": ("self-overlap", "q", "Tr S²/d"),
    "m": ("overlap with the teacher", "m", "Tr S S₀/d"),
    "sigma": ("Onsager variance", r"\Sigma", "the variance that the next iteration subtracts"),
}

AMP_TRACKING = Claim(
    id="amp-tracking",
    title="Message passing follows state evolution",
    statement=(
        "The six equations are more than a fixed point: iterated from S = 0 they give, in high "
        "dimension, the overlaps of approximate message passing after every iteration."
    ),
    equation="state-evolution",
    covers=Statement("10", "Message passing follows state evolution step by step."),
    measurement=(
        "Undamped message passing starts at S = 0; its overlaps after 1, 2 and 4 iterations are "
        "compared with the same number of iterations of the equations at the teacher's own "
        "eigenvalues, and the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=tuple(
        Quantity(
            f"{key}_{step}",
            f"{name}, iteration {step}",
            f"{symbol}^{{({step})}}",
            f"{measured} after iteration {step}",
            cap=0.05,
        )
        for step in _STEPS
        for key, (name, symbol, measured) in _NAMES.items()
    ),
    controls=(
        Control(
            "damped-trajectory",
            "The equations are iterated with damping 0.25: another way to the same fixed point.",
        ),
    ),
    designs={
        "quick": Design((_POINTS[2].key,), {24: 100, 48: 64, 96: 40}),
        "standard": Design(tuple(p.key for p in _POINTS), {16: 80, 24: 80, 40: 48, 64: 24}),
        "full": Design(tuple(p.key for p in _POINTS), {40: 60, 80: 40, 160: 20}),
    },
    experiment="attlas.verify.experiments.tracking:TRACKING",
)
