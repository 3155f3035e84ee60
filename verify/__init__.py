"""Simulations, and the judgement of the theory by them."""

from verify.data import Data, draw_data
from verify.pairing import paired_problem
from verify.progress import Event, progress_bar
from verify.simulate import simulate
from verify.simulation import Run, Simulation, SimulationError, SimulationStatus
from verify.teacher import Teacher, draw_teacher

__all__ = [
    "Data",
    "Event",
    "Run",
    "Simulation",
    "SimulationError",
    "SimulationStatus",
    "Teacher",
    "draw_data",
    "draw_teacher",
    "paired_problem",
    "progress_bar",
    "simulate",
]
