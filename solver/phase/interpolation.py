"""Boundary: the data stop being interpolated as lam -> 0+ (theory.md section 7)."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem
from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.closed_form import explicit_line, fixed, only_weight_decay
from attlas.solver.phase.plane import Plane
from attlas.solver.thresholds import threshold
from attlas.solver.thresholds.interpolation import limit_without_noise


def _alpha(problem: Problem) -> float | None:
    kappa0, noise = problem.target.wishart_ratio, problem.channel.noise
    assert kappa0 is not None
    if noise == 0:
        return float(limit_without_noise(kappa0) / problem.channel.label_rank)
    found = threshold("interpolation", problem=problem)
    return None if found.alpha is None else float(found.alpha)


def _lines(plane: Plane) -> Lines | Absent:
    if not plane.problem(plane.x.low, plane.y.low).tokens.like_gaussian:
        return Absent("It is known for independent Gaussian tokens.")
    absent = only_weight_decay(plane)
    if absent is not None:
        return absent
    lines = explicit_line(plane, _alpha)
    return replace(lines, divides=fixed(plane, "noise") != 0)


INTERPOLATION = Boundary(
    name="interpolation",
    label="interpolation",
    statement=(
        "For lam -> 0+ the training error is 0 with less data and positive with more. Without "
        "noise the target itself interpolates, and the curve is the limit noise -> 0+."
    ),
    planes={
        "alpha,kappa0": "lam -> 0+; at noise 0 the limit noise -> 0+",
        "alpha,noise": "lam -> 0+",
    },
    sides=("training error 0 (λ→0⁺)", "training error > 0 (λ→0⁺)"),
    lines=_lines,
    limit=True,
)
