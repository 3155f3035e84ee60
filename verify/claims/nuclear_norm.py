"""Weight decay on the factors is a nuclear norm on the map."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement


def _point(key: str, kappa: str, lam: str = "0.01") -> Point:
    return Point(key, problem_from(alpha="0.3", lam=lam, kappa0="0.5", kappa=kappa))


_POINTS = (
    _point("narrower student", "0.75", "0.1"),
    _point("square student", "1"),
    _point("wider student", "1.5"),
    Point("linear", problem_from(alpha="0.3", lam="0.1", kappa0="0.5", noise="0.2", tokens=1)),
)

#: Tied factors here, untied ones in a claim of their own.
COVERS = Statement("2", "Weight decay on tied or untied factors is a nuclear norm of the map.")

NUCLEAR_NORM = Claim(
    id="nuclear-norm",
    title="Weight decay on factors is a nuclear norm",
    statement=(
        "Training the factor W with weight decay and minimising over maps S with a nuclear norm "
        "of weight √κ λ d are the same problem: two programs that share no step find the same "
        "objective and the same map."
    ),
    equation="nuclear-norm",
    covers=COVERS,
    measurement=(
        "The same data are trained twice: W by Adam and L-BFGS, and S by accelerated proximal "
        "gradient with thresholded eigenvalues. The objectives are compared to 1e-9, the ranks, "
        "and the distance of the maps with the bound that both gradients and the least curvature "
        "at the minimum imply (1 where it is within the bound)."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "objective",
            "objective",
            r"L(W)",
            "objective of the factor beside that of the map",
            cap=1e-9,
        ),
        Quantity("rank", "rank", r"\operatorname{rank} S", "rank of the map over d", cap=1e-9),
        Quantity(
            "distance",
            "distance of the maps",
            r"\|S_W - S_S\|_F",
            "over the certified bound, 1 within it",
            cap=1e-9,
        ),
    ),
    controls=(
        Control(
            "weight-decay-is-ridge",
            "Weight decay on the factors acts as a ridge λd‖S‖²/2 on the positive map.",
        ),
        Control(
            "sqrt-kappa-dropped",
            "The weight of the nuclear norm is λd, without the factor √κ of the student's width.",
        ),
    ),
    designs={
        "quick": Design((_POINTS[0].key,), {12: 4, 16: 4, 20: 4}),
        "standard": Design(tuple(p.key for p in _POINTS), {12: 4, 18: 4, 24: 4}, control_seeds=2),
        "full": Design(tuple(p.key for p in _POINTS), {12: 10, 24: 10, 60: 10}),
    },
    experiment="attlas.verify.experiments.nuclear_norm:NUCLEAR_NORM",
)
