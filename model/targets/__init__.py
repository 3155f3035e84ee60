"""Targets: the law of the teacher map S0, one file each."""

from model.targets.atoms import Atoms
from model.targets.grammar import target_from
from model.targets.power_law import PowerLaw
from model.targets.spiked import Spiked
from model.targets.target import Target
from model.targets.wishart import Wishart

__all__ = ["Atoms", "PowerLaw", "Spiked", "Target", "Wishart", "target_from"]
