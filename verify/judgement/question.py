"""What the judge is asked: does this quantity of these runs lie in this band about theory?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sample:
    """One run beside the theory at its own teacher's eigenvalues.

    Attributes
    ----------
    d, seed : int
    measured, theory, theory_error : mapping from result key to float
        ``theory_error`` holds absolute error bars.
    converged : bool
        Whether the run reached its gradient certificate.
    """

    d: int
    seed: int
    measured: Mapping[str, float]
    theory: Mapping[str, float]
    theory_error: Mapping[str, float] = field(default_factory=dict)
    converged: bool = True

    def deviation(self, quantity: str) -> float:
        """(measured - theory)/theory."""
        theory = self.theory[quantity]
        return (self.measured[quantity] - theory) / theory

    def relative_theory_error(self, quantity: str) -> float:
        """Error bar of the theory, relative to it."""
        return abs(self.theory_error.get(quantity, 0.0) / self.theory[quantity])


@dataclass(frozen=True)
class Question:
    """A quantity at a point of a claim, the band for its deviation, and the runs.

    Attributes
    ----------
    claim, point, quantity : str
    low, high : float
        Band of the relative deviation, committed before the runs.
    departure : str
        Why the band is not about zero; empty where theory is meant to hold.
    samples : tuple of Sample
    """

    claim: str
    point: str
    quantity: str
    low: float
    high: float
    samples: tuple[Sample, ...]
    departure: str = ""

    @property
    def has_theory(self) -> bool:
        """Whether every run has a usable theoretical value of the quantity to compare with."""
        values = [sample.theory.get(self.quantity, math.nan) for sample in self.samples]
        return bool(values) and all(math.isfinite(value) and value != 0 for value in values)

    @property
    def usable(self) -> tuple[Sample, ...]:
        """The converged runs."""
        return tuple(sample for sample in self.samples if sample.converged)
