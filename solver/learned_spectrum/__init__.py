"""The law of the trained query-key map (theory.md sections 6 and 9)."""

from attlas.solver.learned_spectrum.result import (
    Density,
    LearnedBand,
    LearnedOutlier,
    SingularValues,
    Spectrum,
    SpectrumValues,
    Undetected,
)
from attlas.solver.learned_spectrum.spectrum import spectrum

__all__ = [
    "Density",
    "LearnedBand",
    "LearnedOutlier",
    "SingularValues",
    "Spectrum",
    "SpectrumValues",
    "Undetected",
    "spectrum",
]
