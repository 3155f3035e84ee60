"""Boundary: the largest spike of a spiked target is seen in the learned map (section 9)."""

from __future__ import annotations

from attlas.model import Problem, require_isotropic
from attlas.solver.learned_spectrum.rule import require_map
from attlas.solver.measured import Measured
from attlas.solver.phase.boundary import Absent, Boundary, Lines
from attlas.solver.phase.level_set import level_set
from attlas.solver.phase.plane import Plane
from attlas.solver.thresholds import spike_margin


def _lines(plane: Plane) -> Lines | Absent:
    first = plane.problem(plane.x.low, plane.y.low)
    if not first.target.isolated:
        return Absent("The target has no spikes.")
    require_map(first.estimator)
    require_isotropic(first, "spikes of C^(1/2) S0 C^(1/2) are not those of S0")
    spike = float(first.target.isolated[0])

    def excess(problem: Problem) -> Measured | None:
        solution = plane.solution(problem)
        if solution is None:
            return None
        margin = spike_margin(problem, solution, spike)
        return Measured(margin.value, margin.error)

    return level_set(plane, excess, "x")


BBP = Boundary(
    name="bbp",
    label="largest spike seen",
    statement=(
        "Beyond it the largest spike has an outlier in the learned map: it detaches from the bulk "
        "of S0 + delta Z (Baik, Ben Arous and Peche) and lies above the threshold epsilon."
    ),
    planes={
        "alpha,noise": "a spiked target",
        "alpha,lam": "a spiked target",
    },
    sides=("largest spike not seen", "largest spike seen"),
    lines=_lines,
)
