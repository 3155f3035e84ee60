"""Scaling laws of power-law targets: the numerical solution against the predicted phases."""

from solver.measured import Measured
from solver.scaling.dense import dense_error
from solver.scaling.depth import depths, nearest
from solver.scaling.penalty import dense_limit, penalty_of
from solver.scaling.place import EVERY_MODE, MODES, PHASES, Place, place_of
from solver.scaling.plane import Plane, scaling
from solver.scaling.point import Level, level, slope
from solver.scaling.table import Row, formula_at, measure

__all__ = [
    "EVERY_MODE",
    "MODES",
    "PHASES",
    "Level",
    "Measured",
    "Place",
    "Plane",
    "Row",
    "dense_error",
    "dense_limit",
    "depths",
    "formula_at",
    "level",
    "measure",
    "nearest",
    "penalty_of",
    "place_of",
    "scaling",
    "slope",
]
