"""The penalty beyond which nothing is learned."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity, Statement


def _point(key: str, alpha: str, kappa0: str, noise: str = "0", tokens: int = 2) -> Point:
    return Point(key, problem_from(alpha=alpha, lam=1, kappa0=kappa0, noise=noise, tokens=tokens))


_POINTS = (
    _point("softmax, little data", "0.1", "0.5"),
    _point("softmax, noisy labels", "0.3", "0.5", "0.5"),
    _point("linear, low rank", "0.3", "0.1", "0.5", tokens=1),
)
_ALL = tuple(point.key for point in _POINTS)

COLLAPSE = Claim(
    id="collapse",
    title="Full collapse of the map",
    statement=(
        "Beyond a finite penalty the trained map is exactly zero: it is the penalty at which the "
        "threshold reaches the largest eigenvalue of the noisy target that the data show."
    ),
    equation="spectrum",
    covers=Statement("9", "The penalty beyond which nothing is learned."),
    measurement=(
        "S = 0 is stationary on a data set where no eigenvalue of minus the gradient there exceeds "
        "the penalty, so that its largest eigenvalue gives the collapse exactly, without "
        "training. It is compared with m̂/2 times the mean largest eigenvalue of S₀ + δZ at the "
        "same d and the same teacher, and the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        Quantity("collapse_lam", "largest penalty", r"\lambda_{\max}", "beyond it the map is zero"),
    ),
    controls=(
        Control("noise-ignored", "The data show the target without noise: δ = 0."),
        Control("factor-two-dropped", "The threshold is λ̃/m̂ in place of 2λ̃/m̂."),
    ),
    designs={
        "standard": Design(_ALL, {40: 60, 80: 60, 160: 40, 320: 12}, control_seeds=6),
        "full": Design(_ALL, {160: 200, 320: 100, 640: 40}),
    },
    experiment="attlas.verify.experiments.collapse:COLLAPSE",
)
