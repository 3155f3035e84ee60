"""Simulations, and the judgement of the theory by them."""

from attlas.verify.data.sequences import Data, draw_data
from attlas.verify.data.teacher import Teacher, draw_teacher
from attlas.verify.simulation.pairing import paired_problem
from attlas.verify.simulation.progress import Event, progress_bar
from attlas.verify.simulation.result import Run, Simulation, SimulationError, SimulationStatus
from attlas.verify.simulation.simulate import simulate

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
