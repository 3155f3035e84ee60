"""Numbers with error bars for the equations of attlas."""

from solver.solution import Observables, Solution, SolveError, Stats
from solver.solve import solve
from solver.status import Status
from solver.thresholds import ThresholdResult, ThresholdStatus, threshold

__all__ = [
    "Observables",
    "Solution",
    "SolveError",
    "Stats",
    "Status",
    "ThresholdResult",
    "ThresholdStatus",
    "solve",
    "threshold",
]
