"""The penalty that modes are watched at."""

from __future__ import annotations

from model import PowerLaw
from solver.scaling.predictions import best_penalty


def penalty_of(target: PowerLaw, n: float, noise: float, lam: float | None) -> float:
    """``lam`` where it is given, else lam_c(n), which cuts the bulk at its edge.

    Without noise lam_c is 0, the limit lam -> 0+.
    """
    return best_penalty(target, n, noise) if lam is None else lam
