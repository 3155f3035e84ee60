"""Power laws of the learning curve: the numerical solution beside the formulas."""

from __future__ import annotations

from model import Problem, problem_from
from solver.scaling.table import FIRST, SECOND, point_of
from verify.claims.claim import Claim, Control, Design, Point, Quantity

_BASE = 10**10
#: The phase of a point, and which of its two places in the phase.
PHASE_OF: dict[Problem, tuple[str, int]] = {}


def _point(phase: str, gamma: str, which: int) -> Point:
    _, n, lam, noise, _ = point_of(phase, float(gamma), which, _BASE)
    problem = problem_from(
        n=str(round(n)),
        lam=repr(lam),
        noise=repr(noise),
        tokens=1,
        target=f"power-law:gamma={gamma},d={_BASE}",
    )
    PHASE_OF[problem] = (phase, which)
    return Point(f"phase {phase}, γ = {gamma}", problem)


_POINTS = tuple(
    _point(phase, gamma, which)
    for gamma in ("1.25", "1")
    for phase, which in (("II", SECOND), ("IV", SECOND), ("VIa", SECOND), ("noiseless", FIRST))
)
_ALL = tuple(point.key for point in _POINTS)

SCALING_EXPONENTS = Claim(
    id="scaling-exponents",
    title="Exponents and constants of power-law targets",
    statement=(
        "For eigenvalues √d i^−γ the solution of the state evolution follows, deep in each phase "
        "of the (n, λ) plane, a power of n with the exponent and the constant that dominant "
        "balance gives."
    ),
    equation="scaling",
    measurement=(
        "Theory against theory: the numerical solution in 1e10 dimensions is compared with the "
        "formula of its phase, local exponent and squared error. Nothing is trained and nothing is "
        "random, so that there is no scatter and no size to extrapolate in: the design's sizes and "
        "seeds only repeat the comparison, and the deviation is that at 1e10 dimensions."
    ),
    points=_POINTS,
    quantities=(
        Quantity(
            "exponent",
            "local exponent",
            r"d\log R/d\log n",
            "slope of the numerical solution at its point of the phase",
        ),
        Quantity(
            "mse", "squared error", r"\|S - S_0\|^2/d", "numerical solution at the same point"
        ),
    ),
    controls=(
        Control("gamma-shifted", "The target's exponent γ is larger by 1/4."),
        Control("noise-halved", "The variance of the noise is half of what it is."),
    ),
    # No sizes: the keys count repeats of the same comparison.
    designs={
        "standard": Design(_ALL[:4], {1: 1, 2: 1, 3: 2}),
        "full": Design(_ALL, {1: 1, 2: 1, 3: 2}),
    },
    experiment="verify.experiments.exponents:EXPONENTS",
)
