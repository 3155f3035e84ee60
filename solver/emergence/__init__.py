"""Modes of a target picked up one after another as data grow."""

from solver.emergence.curve import Curve, learning_curve
from solver.emergence.mode import Emergence, emergence, leading_order
from solver.emergence.modes import Modes, modes_at, shares
from solver.emergence.penalty import dense_limit, penalty_of

__all__ = [
    "Curve",
    "Emergence",
    "Modes",
    "dense_limit",
    "emergence",
    "leading_order",
    "learning_curve",
    "modes_at",
    "penalty_of",
    "shares",
]
