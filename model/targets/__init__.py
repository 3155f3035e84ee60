"""Targets: the law of the teacher map S0, one file each."""

from attlas.model.targets.atoms import Atoms
from attlas.model.targets.grammar import TARGETS, target_from
from attlas.model.targets.power_law import PowerLaw
from attlas.model.targets.product import Product
from attlas.model.targets.singular import SingularValues
from attlas.model.targets.spiked import Spiked
from attlas.model.targets.target import Target
from attlas.model.targets.wishart import Wishart

__all__ = [
    "TARGETS",
    "Atoms",
    "PowerLaw",
    "Product",
    "SingularValues",
    "Spiked",
    "Target",
    "Wishart",
    "target_from",
]
