"""Boundary: exact recovery without noise as lam -> 0+ (theory.md section 7)."""

from __future__ import annotations

from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.closed_form import fixed, only_weight_decay, threshold_line
from attlas.solver.phase.plane import Plane


def _lines(plane: Plane) -> Lines | Absent:
    if fixed(plane, "noise") != 0:
        return Absent("With noise the target is never recovered exactly.")
    if plane.problem(plane.x.low, plane.y.low).tokens.covariance is not None:
        return Absent("It is known for tokens without a covariance.")
    return only_weight_decay(plane) or threshold_line(plane, "perfect-recovery")


PERFECT_RECOVERY = Boundary(
    name="perfect-recovery",
    label="perfect recovery",
    statement="Without noise and for lam -> 0+ the target is recovered exactly with more data.",
    planes={"alpha,kappa0": "lam -> 0+, noise 0"},
    sides=("weight decay does not recover S₀", "weight decay recovers S₀ (λ→0⁺)"),
    lines=_lines,
    limit=True,
)
