"""Simulations, and the judgement of the theory by them."""

from verify.data.sequences import Data, draw_data
from verify.data.teacher import Teacher, draw_teacher
from verify.simulation.pairing import paired_problem
from verify.simulation.progress import Event, progress_bar
from verify.simulation.result import Run, Simulation, SimulationError, SimulationStatus
from verify.simulation.simulate import simulate

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
