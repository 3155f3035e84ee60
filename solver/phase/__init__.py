"""Phase diagrams: one file a boundary, followed as curves with brackets."""

from solver.phase.boundary import Boundary
from solver.phase.diagram import (
    BOUNDARIES,
    PhaseDiagram,
    PhaseStats,
    PhaseStatus,
    phase,
)
from solver.phase.plane import PLANES, Axis, Plane
from solver.phase.regions import Region
from solver.phase.trace import Curve, Point

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
