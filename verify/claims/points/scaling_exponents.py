"""A place deep in each phase of the power laws."""

from __future__ import annotations

from attlas.model import Problem, problem_from
from attlas.solver.scaling.place import PHASES, place_of
from attlas.verify.claims.claim import Point

GAMMAS = ("1.25", "0.75", "1", "1.5", "2")
#: The phase that a point's problem is in.
PHASE_OF: dict[Problem, str] = {}


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


POINTS = tuple(_point(phase, gamma) for gamma in GAMMAS for phase in PHASES)
