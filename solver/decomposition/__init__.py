"""What each part of the learned spectrum costs in error (theory.md section 13)."""

from attlas.solver.decomposition.decompose import Decomposition, DecompositionValues, decompose
from attlas.solver.decomposition.parts import Parts, split_error
from attlas.solver.decomposition.response import Response, response

__all__ = [
    "Decomposition",
    "DecompositionValues",
    "Parts",
    "Response",
    "decompose",
    "response",
    "split_error",
]
