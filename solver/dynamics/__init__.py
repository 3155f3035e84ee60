"""Learning in time: the population gradient flow of the map, mode by mode."""

from attlas.solver.dynamics.dynamics import dynamics
from attlas.solver.dynamics.power_law import power_law
from attlas.solver.dynamics.result import Dynamics, DynamicsErrors

__all__ = ["Dynamics", "DynamicsErrors", "dynamics", "power_law"]
