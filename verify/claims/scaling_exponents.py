"""Power laws of the learning curve: the numerical solution beside the formulas."""

from __future__ import annotations

from dataclasses import replace

from attlas.solver.scaling.place import PHASES
from attlas.verify.claims.claim import Claim, Design, Quantity, Statement
from attlas.verify.claims.controls.power_laws import GAMMA_SHIFTED, NOISE_HALVED
from attlas.verify.claims.points.scaling_exponents import PHASE_OF, POINTS

#: Phases whose formulas hold gamma, and the variance of the noise.
WITH_GAMMA, WITH_NOISE = ("II", "IV", "noiseless"), ("IV", "V", "peak", "VIa", "VIb")
#: Phases whose places take a fraction of a second.
_CHEAP = ("II", "III", "VIa", "VIb")
_ALL = tuple(point.key for point in POINTS)

SCALING_EXPONENTS = Claim(
    id="scaling-exponents",
    title="Exponents and constants of power-law targets",
    statement=(
        "For eigenvalues √d i^−γ the solution of the state evolution follows, deep in each phase "
        "of the (n, λ) plane, a power of n (at the peak of λ) with the exponent and the constant "
        "that dominant balance gives; in phase V, its exact form."
    ),
    equation="scaling",
    covers=Statement("14", "Exponents of the scaling laws in every phase."),
    measurement=(
        "Theory against theory: the numerical solution is compared with the formula of its phase, "
        "local exponent and squared error. Nothing is trained. The size that stands in the place "
        "of d is the number K of modes that are recovered: all d of them in phases III and VIb, "
        "few of 1e14 in the others. Corrections to the leading power are powers of 1/K, and the "
        "deviation is extrapolated in it. Seeds are places between mode number K and the next."
    ),
    points=POINTS,
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
        "quick": Design(
            tuple(p.key for p in POINTS[: len(PHASES)] if PHASE_OF[p.problem] in _CHEAP),
            {250: 2, 500: 2, 1000: 2},
        ),
        "standard": Design(_ALL[: len(PHASES)], {250: 2, 500: 2, 1000: 2}),
        "full": Design(_ALL, {250: 4, 500: 4, 1000: 4}),
    },
    experiment="attlas.verify.experiments.exponents:EXPONENTS",
)
