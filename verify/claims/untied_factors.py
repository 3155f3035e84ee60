"""Weight decay on untied factors is a nuclear norm too."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity
from attlas.verify.claims.nuclear_norm import COVERS

_POINTS = (
    Point("square student", problem_from(alpha="0.3", lam="0.02", kappa0="0.5")),
    Point("wider student", problem_from(alpha="0.3", lam="0.02", kappa0="0.5", kappa="1.5")),
)

UNTIED_FACTORS = Claim(
    id="untied-factors",
    title="Untied factors have the same nuclear norm",
    statement=(
        "With two separate factors, M = UVᵀ/√(pd), the weight decay (‖U‖² + ‖V‖²)/2 is the nuclear "
        "norm of M at the minimum, and both programs have the same objective."
    ),
    equation="nuclear-norm",
    covers=COVERS,
    measurement=(
        "U and V are trained by L-BFGS; M by proximal gradient with thresholded singular values, "
        "on the same data. Half the squared norm of the factors is compared with √(pd) "
        "times the nuclear norm of their product."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "objective",
            "objective",
            r"L(U, V)",
            "objective of the factors beside that of the map",
            cap=1e-9,
        ),
        Quantity(
            "half_norm",
            "weight decay of the factors",
            r"\tfrac12(\|U\|^2 + \|V\|^2)",
            "beside √(pd) ‖M‖ (nuclear norm)",
            cap=1e-6,
        ),
    ),
    controls=(
        Control(
            "half-dropped",
            "The weight decay of two factors is ‖U‖² + ‖V‖², without the half.",
        ),
    ),
    designs={
        "quick": Design((_POINTS[0].key,), {10: 3, 14: 3, 18: 3}, control_seeds=3),
        "standard": Design(tuple(p.key for p in _POINTS), {12: 4, 18: 4, 24: 4}, control_seeds=2),
        "full": Design(tuple(p.key for p in _POINTS), {12: 10, 24: 10, 60: 10}),
    },
    experiment="attlas.verify.experiments.untied:UNTIED",
)
