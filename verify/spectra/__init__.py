"""Spectra of trained heads beside draws of the predicted law at the same dimension."""

from attlas.verify.spectra.comparison import Comparison, Head, compare
from attlas.verify.spectra.draws import Draw, draw_learned
from attlas.verify.spectra.heads import head_of, heads_of, train_heads
from attlas.verify.spectra.statistics import NAMES, Quantiles, statistics

__all__ = [
    "NAMES",
    "Comparison",
    "Draw",
    "Head",
    "Quantiles",
    "compare",
    "draw_learned",
    "head_of",
    "heads_of",
    "statistics",
    "train_heads",
]
