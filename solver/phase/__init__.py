"""Phase diagrams: one file a boundary, followed as curves with brackets."""

from attlas.solver.phase.boundary import Boundary
from attlas.solver.phase.diagram import (
    BOUNDARIES,
    PhaseDiagram,
    PhaseStats,
    PhaseStatus,
    phase,
)
from attlas.solver.phase.plane import PLANES, Axis, Plane
from attlas.solver.phase.regions import Region
from attlas.solver.phase.trace import Curve, Point

__all__ = [
    "BOUNDARIES",
    "PLANES",
    "Axis",
    "Boundary",
    "Curve",
    "PhaseDiagram",
    "PhaseStats",
    "PhaseStatus",
    "Plane",
    "Point",
    "Region",
    "phase",
]
