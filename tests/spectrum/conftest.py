"""Laws over which every test of the spectrum runs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from attlas.model.targets import Wishart
from attlas.solver.spectrum import AtomsTargetLaw, NoisyLaw, TargetLaw, target_law
from tests.spectrum.strangers import Sum


@dataclass(frozen=True)
class Case:
    """A target and a noise level, with thresholds in and around its bands."""

    name: str
    target: TargetLaw
    delta: float

    @property
    def law(self) -> NoisyLaw:
        return self.target.noisy(self.delta)

    def thresholds(self) -> list[float]:
        """Below everything, inside each band, in each gap, above the top; no edge."""
        bands = self.law.bands()
        inside = [b.lower + share * (b.upper - b.lower) for b in bands for share in (0.1, 0.5, 0.9)]
        gaps = [(a.upper + b.lower) / 2 for a, b in pairwise(bands)]
        return [bands[0].lower - 1, *inside, *gaps, bands[-1].upper + 0.5]


def sampled_wishart(d: int, rank: int) -> np.ndarray:
    """Eigenvalues of one Wishart teacher, exact zeros included."""
    factor = np.random.default_rng(7).normal(size=(d, rank))
    values = np.linalg.eigvalsh(factor @ factor.T / np.sqrt(d * rank))
    values[: d - rank] = 0.0
    return values


def wishart(kappa0: str, delta: float) -> Case:
    return Case(f"wishart {kappa0} delta {delta}", target_law(Wishart(kappa0)), delta)


CASES = [
    wishart("0.5", 0.511059),
    wishart("0.1", 1e-3),
    wishart("1e-3", 1e-3),
    wishart("1e-3", 1.0),
    wishart("0.1", 0.01),
    wishart("1", 0.1),
    wishart("1", 1e-4),
    wishart("1/8", 1.0),  # the two bands just touch: kappa0 (1 + delta^(2/3))^3 = 1
    wishart("4", 0.3),
    wishart("1e-4", 10.0),
    Case("single atom", AtomsTargetLaw([1.5]), 0.3),
    Case("all zero", AtomsTargetLaw([0.0, 0.0]), 0.7),
    Case("repeated", AtomsTargetLaw([0.0, 0.0, 0.0, 1.0, 1.0, 2.5]), 0.2),
    Case("close pair", AtomsTargetLaw([0.0, 1.0, 1.0 + 1e-9, 2.0]), 0.05),
    Case("sample, bulk", AtomsTargetLaw(sampled_wishart(60, 30)), 0.5),
    Case("sample, between", AtomsTargetLaw(sampled_wishart(60, 30)), 0.05),
    Case("own R-transform", target_law(Sum(Fraction(1, 4), Fraction(1, 25))), 0.4),
    Case("own R-transform, bands", target_law(Sum(Fraction(1, 4), Fraction(1, 25))), 0.01),
    Case("sample, narrow", AtomsTargetLaw(sampled_wishart(60, 30)), 1e-4),
]


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param
