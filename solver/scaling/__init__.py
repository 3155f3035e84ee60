"""Scaling laws of power-law targets: the numerical solution against the predicted phases."""

from solver.scaling.dense import dense_error
from solver.scaling.plane import Plane, scaling
from solver.scaling.point import Level, Measured, level, slope
from solver.scaling.table import FIRST, PHASES, SECOND, Row, measure

__all__ = [
    "FIRST",
    "PHASES",
    "SECOND",
    "Level",
    "Measured",
    "Plane",
    "Row",
    "dense_error",
    "level",
    "measure",
    "scaling",
    "slope",
]
