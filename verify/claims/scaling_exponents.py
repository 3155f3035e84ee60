"""Power laws of the learning curve: the numerical solution beside the formulas."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem, problem_from
from attlas.solver.scaling.place import PHASES, place_of
from attlas.verify.claims.claim import Claim, Design, Point, Quantity
from attlas.verify.claims.controls.power_laws import GAMMA_SHIFTED, NOISE_HALVED

GAMMAS = ("1.25", "0.75", "1", "1.5", "2")
#: The phase that a point's problem is in.
PHASE_OF: dict[Problem, str] = {}
#: Phases whose formulas hold gamma, and the variance of the noise.
WITH_GAMMA, WITH_NOISE = ("II", "IV", "noiseless"), ("IV", "V", "peak", "VIa", "VIb")


def _point(phase: str, gamma: str) -> Point:
    at = place_of(phase, float(gamma))
    problem = problem_from(
        n=str(round(at.n)),
        lam=repr(at.lam),
        noise=repr(at.noise),
        tokens=1,
        target=f"power-law:gamma={gamma},d={at.d}",
    )
    PHASE_OF[problem] = phase
    return Point(f"phase {phase}, γ = {gamma}", problem)


_POINTS = tuple(_point(phase, gamma) for gamma in GAMMAS for phase in PHASES)
_ALL = tuple(point.key for point in _POINTS)

SCALING_EXPONENTS = Claim(
    id="scaling-exponents",
    title="Exponents and constants of power-law targets",
    statement=(
        "For eigenvalues √d i^−γ the solution of the state evolution follows, deep in each phase "
        "of the (n, λ) plane, a power of n (at the peak of λ) with the exponent and the constant "
        "that dominant balance gives; in phase V, its exact form."
    ),
    equation="scaling",
    measurement=(
        "Theory against theory: the numerical solution is compared with the formula of its phase, "
        "local exponent and squared error. Nothing is trained. The size that stands in the place "
        "of d is the number K of modes that are recovered: all d of them in phases III and VIb, "
        "few of 1e14 in the others. Corrections to the leading power are powers of 1/K, and the "
        "deviation is extrapolated in it. Seeds are places between mode number K and the next."
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
        replace(GAMMA_SHIFTED, where=lambda problem: PHASE_OF[problem] in WITH_GAMMA),
        replace(NOISE_HALVED, where=lambda problem: PHASE_OF[problem] in WITH_NOISE),
    ),
    designs={
        "standard": Design(_ALL[: len(PHASES)], {250: 2, 500: 2, 1000: 2}),
        "full": Design(_ALL, {250: 4, 500: 4, 1000: 4}),
    },
    experiment="attlas.verify.experiments.exponents:EXPONENTS",
)
