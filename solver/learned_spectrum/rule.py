"""What a penalty makes of the eigenvalues of S0 + delta Z."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from attlas.model import Direct, DirectPSD, Estimator, Factorised, WidthLimited
from attlas.model.errors import BadInput
from attlas.solver.solution import Observables
from attlas.solver.spectrum import NoisyLaw


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
    """Refuse an estimator that trains no map.

    Raises
    ------
    BadInput
    """
    if rule.dispatch(type(estimator)) is rule.dispatch(object):
        raise BadInput(
            "training",
            estimator.name,
            "must be one that trains a map",
            "spectra and parts of the error are those of a trained map",
        )


@singledispatch
def rule(estimator: Estimator, solution: Observables, law: NoisyLaw) -> Rule:  # noqa: ARG001
    """The rule of an estimator at a solution; a new penalty registers its own."""
    raise TypeError(f"{type(estimator).__name__} trains no map")


@rule.register
def _(estimator: Factorised, solution: Observables, law: NoisyLaw) -> Rule:  # noqa: ARG001
    return Rule(solution.eta, solution.epsilon, solution.epsilon)


@rule.register
def _(estimator: DirectPSD, solution: Observables, law: NoisyLaw) -> Rule:  # noqa: ARG001
    return Rule(solution.eta, 0.0, 0.0)


@rule.register
def _(estimator: Direct, solution: Observables, law: NoisyLaw) -> Rule:  # noqa: ARG001
    return Rule(solution.eta, 0.0, -math.inf)


@rule.register
def _(estimator: WidthLimited, solution: Observables, law: NoisyLaw) -> Rule:
    """Only the top kappa eigenvalues are kept (theory.md section 13b)."""
    kappa, epsilon = float(estimator.kappa), solution.epsilon
    limited = law.truncated(epsilon).mass > kappa
    cut = float(law.quantile(1 - kappa)) if limited else epsilon
    return Rule(solution.eta, epsilon, cut)
