"""The noisy Wishart law: exact totals."""

from __future__ import annotations

import math

import pytest

from model.targets import Wishart
from solver.spectrum import target_law


@pytest.mark.parametrize("delta", ["1e-4", "1e-3", "0.03", "1", "10"])
@pytest.mark.parametrize("kappa0", ["1e-4", "1e-3", "0.1", "0.5", "1", "10"])
def test_moments_are_exact(kappa0: str, delta: str) -> None:
    target = Wishart(kappa0)
    law = target_law(target).noisy(float(delta))
    mass, mean, second = law.moments()
    q0 = float(1 + target.kappa0)
    assert mass == pytest.approx(1, rel=1e-12)
    assert mean == pytest.approx(math.sqrt(target.kappa0), rel=1e-12, abs=1e-12)
    assert second == pytest.approx(q0 + float(delta) ** 2, rel=1e-12)
