"""Modes of a target picked up one after another as data grow."""

from solver.emergence.curve import Curve, learning_curve
from solver.emergence.mode import Emergence, emergence
from solver.emergence.modes import Modes, modes_at, shares
from solver.emergence.penalty import penalty_of

__all__ = [
    "Curve",
    "Emergence",
    "Modes",
    "emergence",
    "learning_curve",
    "modes_at",
    "penalty_of",
    "shares",
]
