"""Scaling laws of power-law targets: the numerical solution against the predicted phases."""

from attlas.solver.measured import Measured
from attlas.solver.scaling.dense import dense_error
from attlas.solver.scaling.depth import depths, nearest
from attlas.solver.scaling.penalty import dense_limit, penalty_of
from attlas.solver.scaling.place import EVERY_MODE, MODES, PHASES, Place, place_of
from attlas.solver.scaling.plane import Plane, scaling
from attlas.solver.scaling.point import Level, level, slope
from attlas.solver.scaling.table import Row, formula_at, measure

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
