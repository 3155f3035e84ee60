"""Query-key maps of trained models: read from a file, and described. No theory is fitted."""

from attlas.solver.weights.describe import Head, WeightsDescription, describe_weights
from attlas.solver.weights.pairs import Pair, find_pairs
from attlas.solver.weights.read import read_tensors
from attlas.solver.weights.tail import Tail, tail_of

__all__ = [
    "Head",
    "Pair",
    "Tail",
    "WeightsDescription",
    "describe_weights",
    "find_pairs",
    "read_tensors",
    "tail_of",
]
