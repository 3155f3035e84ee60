"""Numbers with error bars for the equations of attlas."""

from attlas.solver.solution import Observables, Solution, SolveError, Stats
from attlas.solver.solve import solve
from attlas.solver.status import Status
from attlas.solver.thresholds import ThresholdResult, ThresholdStatus, threshold

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
