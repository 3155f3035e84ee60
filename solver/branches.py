"""Fixed points of state evolution from the informed and the uninformed start."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attlas.solver.fixed_point import FixedPoint, LeftDomain, find
from attlas.solver.order_parameters import Overlaps
from attlas.solver.state_evolution import StateEvolution

#: Residual to which fixed points are iterated, on logarithms of the conjugates.
RESIDUAL = 1e-12
#: The same on the coarsest nodes, from which the point is refined.
_COARSE_RESIDUAL = 1e-7
#: Two starts that end closer than this, on logarithms, found the same branch.
_SAME_BRANCH = 1e-4


@dataclass(frozen=True)
class Branch:
    """A fixed point on the coarsest nodes, or None where its start failed."""

    start: str
    point: FixedPoint | None


def find_branches(system: StateEvolution, max_steps: int, until: float = math.inf) -> list[Branch]:
    """Distinct fixed points from both starts; a start that fails is kept as a failure."""
    # Integrated on nodes the map has rounding noise of its own, and is only a first approximation.
    tolerance = RESIDUAL if system.kernel.finest == 0 else _COARSE_RESIDUAL
    branches: list[Branch] = []
    for name, overlaps in _starts(system).items():
        known = [
            other.point
            for other in branches
            if other.point is not None and other.point.residual <= tolerance
        ]
        try:
            point = find(
                lambda x: system.step(x, 0),
                system.start(overlaps, 0),
                tolerance=tolerance,
                max_steps=max_steps,
                known=known,
                until=until,
            )
        except LeftDomain:
            branches.append(Branch(name, None))
            continue
        if not any(np.max(np.abs(point.x - other.x)) < _SAME_BRANCH for other in known):
            branches.append(Branch(name, point))
    return branches


def _starts(system: StateEvolution) -> dict[str, Overlaps]:
    """Near zero with unit proximal variance, and near the teacher at its best scale."""
    scale, q0 = system.kernel.scale, system.q0
    little, whole = (system.revealed.scaled(size * scale) for size in (1e-4, 1.0))
    return {
        "uninformed": Overlaps(
            q=1e-4 * scale**2 * q0, m=1e-4 * scale * q0, sigma=1.0 / scale, traces=little
        ),
        "informed": Overlaps(q=1.02 * scale**2 * q0, m=scale * q0, sigma=0.1, traces=whole),
    }
