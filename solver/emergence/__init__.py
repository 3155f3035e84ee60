"""Modes of a target picked up one after another as data grow."""

from attlas.solver.emergence.curve import Curve, learning_curve
from attlas.solver.emergence.mode import Emergence, emergence, leading_order
from attlas.solver.emergence.modes import Modes, modes_at, shares

__all__ = [
    "Curve",
    "Emergence",
    "Modes",
    "emergence",
    "leading_order",
    "learning_curve",
    "modes_at",
    "shares",
]
