"""What a penalty makes of the eigenvalues of S0 + delta Z."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attlas.model import Estimator
from attlas.model.errors import BadInput
from attlas.solver.solution import Observables
from attlas.solver.spectrum import NoisyLaw
from attlas.solver.spectrum.kept import cut, limited


@dataclass(frozen=True)
class Rule:
    """The learned eigenvalue of x is scale (x - shift) for x > cut, and 0 below."""

    scale: float
    shift: float
    cut: float

    def above(self, x: float) -> float:
        """The learned eigenvalue of x, or its limit from above at the cut."""
        return self.scale * (max(x, self.cut) - self.shift)

    def along(self, x: np.ndarray) -> np.ndarray:
        """Learned eigenvalues of an array."""
        return np.where(x > self.cut, self.scale * (x - self.shift), 0.0)


def require_map(estimator: Estimator) -> None:
    """Refuse an estimator whose map has no spectrum here.

    Raises
    ------
    BadInput
        If it trains none, or one that is cut on both sides of zero.
    """
    penalty = estimator.trained()
    if penalty.thresholds and not penalty.positive:
        raise BadInput(
            "training",
            estimator.name,
            "must train a positive map, or have no linear penalty",
            "spectra that are cut on both sides of zero are not described",
        )


def rule(estimator: Estimator, solution: Observables, law: NoisyLaw) -> Rule:
    """The rule of an estimator at a solution.

    A symmetric map keeps every eigenvalue, a positive one those above epsilon, and one of limited
    width only the largest of these (theory.md sections 6, 11 and 13b).
    """
    require_map(estimator)
    penalty, epsilon = estimator.trained(), solution.epsilon
    lowest = epsilon if penalty.positive else -math.inf
    if penalty.limited and penalty.width and limited(law, epsilon, float(penalty.width)):
        lowest = cut(law, float(penalty.width))
    return Rule(solution.eta, epsilon, lowest)
