"""The replicon's double integral."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attlas.model.targets import Wishart
from attlas.solver.spectrum import AtomsTargetLaw, mean_squared_slope, target_law


def test_below_and_above_everything() -> None:
    law = target_law(Wishart("0.5")).noisy(0.3)
    assert mean_squared_slope(law, -5.0) == 1.0
    assert mean_squared_slope(law, 10.0) == 0.0


@pytest.mark.parametrize("share", [-0.5, 0.0, 0.7])
def test_semicircle_against_a_polar_integral(share: float) -> None:
    """Polar coordinates about the corner turn the kernel into cos^4/(cos + sin)^2-type factors."""
    law = AtomsTargetLaw([0.0]).noisy(1.0)
    epsilon = 2 * share
    nodes, weights = np.polynomial.legendre.leggauss(150)
    angle, angle_weight = (nodes + 1) * math.pi / 4, weights * math.pi / 4

    def density(x: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(4 - x * x, 0)) / (2 * math.pi)

    mixed = 0.0
    above, below = 2 - epsilon, 2 + epsilon
    for theta, weight in zip(angle, angle_weight, strict=True):
        reach = min(above / math.cos(theta), below / math.sin(theta))
        # r = reach sin(phi) takes the square root at the far edge away
        phi, phi_weight = (nodes + 1) * math.pi / 4, weights * math.pi / 4
        r = reach * np.sin(phi)
        ratio = math.cos(theta) / (math.cos(theta) + math.sin(theta))
        values = density(epsilon + r * math.cos(theta)) * density(epsilon - r * math.sin(theta))
        radial = np.sum(phi_weight * reach * np.cos(phi) * r * values)
        mixed += float(weight * ratio**2 * radial)
    mass = law.truncated(epsilon).mass
    assert mean_squared_slope(law, epsilon) == pytest.approx(mass**2 + 2 * mixed, abs=1e-6)


@pytest.mark.parametrize("delta", [0.01, 0.15, 0.6])
def test_against_a_random_matrix(delta: float) -> None:
    d, rank = 400, 200
    rng = np.random.default_rng(5)
    factor = rng.normal(size=(d, rank))
    teacher = factor @ factor.T / np.sqrt(d * rank)
    noise = rng.normal(size=(d, d))
    x = np.linalg.eigvalsh(teacher + delta * (noise + noise.T) / np.sqrt(2 * d))
    for epsilon in (0.5 * delta, 2.5 * delta, 1.5):
        kept = np.maximum(x - epsilon, 0)
        with np.errstate(invalid="ignore"):
            slope = np.subtract.outer(kept, kept) / np.subtract.outer(x, x)
        np.fill_diagonal(slope, x > epsilon)
        law = target_law(Wishart("0.5")).noisy(delta)
        assert mean_squared_slope(law, epsilon) == pytest.approx(np.mean(slope**2), abs=8 / d)


@pytest.mark.parametrize("delta", [1e-3, 0.08, 0.5])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.7])
def test_atoms_and_wishart_agree(delta: float, epsilon: float) -> None:
    """The same integral from two unrelated sets of nodes, for a law both can represent."""
    first = AtomsTargetLaw([0.0, 0.0, 1.0, 1.4]).noisy(delta)
    fine = first.graded_nodes(-math.inf, math.inf, 30, epsilon)
    kept = np.maximum(fine.x - epsilon, 0)
    gap = np.subtract.outer(fine.x, fine.x)
    same = (fine.x[:, None] > epsilon) & (fine.x > epsilon)
    slope = np.where(same, 1.0, 0.0)
    mixed = (fine.x[:, None] > epsilon) != (fine.x > epsilon)
    slope[mixed] = (np.subtract.outer(kept, kept)[mixed] / gap[mixed]) ** 2
    expected = float(fine.w @ slope @ fine.w)
    assert mean_squared_slope(first, epsilon) == pytest.approx(expected, abs=1e-8)
