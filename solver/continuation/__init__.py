"""Continuation: every branch along a parameter, its folds, and first-order transitions."""

from attlas.solver.continuation.along import FOLLOWED, Along, branches_along
from attlas.solver.continuation.family import Family, Point, corrected
from attlas.solver.continuation.follow import Branch, Curve, Fold, follow
from attlas.solver.continuation.transitions import Transition, all_branches, transitions

__all__ = [
    "FOLLOWED",
    "Along",
    "Branch",
    "Curve",
    "Family",
    "Fold",
    "Point",
    "Transition",
    "all_branches",
    "branches_along",
    "corrected",
    "follow",
    "transitions",
]
