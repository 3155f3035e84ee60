"""The law of C^(1/2) S0 C^(1/2) + delta Z - f(C): against matrices, limits and differences."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import Atoms, Tokens, Wishart
from attlas.solver.spectrum import mean_squared_slope, target_law, whitened_law

TARGETS = (Wishart("1/2"), Wishart("1/50"), Wishart(3), Atoms([0, 0, 1.5, 1.5, 0.2]))
COVARIANCES = ("atoms:0.25/1.75", "ar1:rho=0.5", "power-law:a=1,d=60")
PLACES = ((0.5, (0.2, 0.1, -0.05)), (1.3, (0.9, -0.4, 0.1)), (0.1, (0.01, 0.0, 0.0)))


def law_of(target, covariance="atoms:1/1"):
    chosen = Tokens(covariance=covariance).covariance
    assert chosen is not None
    return whitened_law(target, target_law(target), *chosen.atoms())


@pytest.mark.parametrize("target", TARGETS)
def test_identity_gives_the_law_of_the_target(target):
    law, known = law_of(target), target_law(target)
    for delta, tilts in PLACES:
        epsilon = sum(tilts)
        found, slopes = law.integrals(delta, tilts)
        expected = known.noisy(delta).truncated(epsilon)
        for key in ("j", "j1", "j2", "mass", "squared_error"):
            bar = getattr(found, f"{key}_error") + getattr(expected, f"{key}_error")
            assert abs(getattr(found, key) - getattr(expected, key)) <= bar + 1e-13, key
            assert bar < 1e-9
        assert slopes == pytest.approx([expected.j2] * 3, abs=1e-11)
        slope = mean_squared_slope(known.noisy(delta), epsilon)
        assert law.mean_squared_slope(delta, tilts) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("target", TARGETS)
def test_derivatives_are_those_of_j(target, covariance):
    law, step = law_of(target, covariance), 1e-4
    for delta, tilts in PLACES:
        found, slopes = law.integrals(delta, tilts)
        ends = [law.integrals(delta + s * step, tilts)[0].j for s in (1, -1)]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(found.j1, rel=2e-5, abs=1e-7)
        for part in range(3):
            ends = []
            for sign in (1, -1):
                e, b, k = (one + sign * step * (n == part) for n, one in enumerate(tilts))
                ends.append(law.integrals(delta, (e, b, k))[0].j)
            expected = (ends[0] - ends[1]) / (2 * step)
            assert slopes[part] == pytest.approx(expected, rel=2e-5, abs=1e-7)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_exact_moments(covariance):
    """Far below the support everything is kept: mass, mean and second moment are traces."""
    target, delta, shift = Wishart("1/2"), 0.7, -9.0
    law = law_of(target, covariance)
    found, slopes = law.integrals(delta, (0.0, shift, 0.0))
    assert found.mass == pytest.approx(1, abs=1e-12)
    assert -slopes[1] / 2 == pytest.approx(law.mean - shift, rel=1e-11)
    second = law.q0 + delta**2 - 2 * shift * law.mean + shift**2
    assert found.j == pytest.approx(second, rel=1e-11)
    assert found.j1 == pytest.approx(2 * delta, rel=1e-10)
    assert -slopes[2] / 2 == pytest.approx(law.square * law.mean - shift, rel=1e-11)


def test_against_drawn_matrices():
    rng, d, delta, tilts = np.random.default_rng(0), 900, 0.6, (0.25, 0.1, 0.05)
    c = np.repeat([0.25, 1.75], d // 2)
    w = rng.standard_normal((d, d // 2))
    s0 = (c**0.5)[:, None] * (w @ w.T / (d * (d // 2)) ** 0.5) * c**0.5
    z = rng.standard_normal((d, d))
    field = s0 + delta * (z + z.T) / (2 * d) ** 0.5
    field -= np.diag(tilts[0] / c + tilts[1] + tilts[2] * c)
    values, vectors = np.linalg.eigh(field)
    law = law_of(Wishart("1/2"), "atoms:0.25/1.75")
    found, slopes = law.integrals(delta, tilts)
    kept = np.maximum(values, 0)
    assert found.j == pytest.approx(np.mean(kept**2), rel=0.02)
    assert found.mass == pytest.approx(np.mean(values > 0), abs=0.005)
    diagonal = (vectors**2) @ kept
    drawn = [-2 * np.mean(diagonal * weight) for weight in (1 / c, 1, c)]
    assert slopes == pytest.approx(drawn, rel=0.02)
    ratio = (kept[:, None] - kept) / (values[:, None] - values + np.eye(d))
    assert law.mean_squared_slope(delta, tilts) == pytest.approx(np.mean(ratio**2), rel=0.02)
    x = np.linspace(-2, 4, 13)
    counts = np.histogram(values, x)[0] / d
    fine = (x[:-1, None] + (x[1] - x[0]) * (np.arange(20) + 0.5) / 20).ravel()
    masses = law.density(fine, delta, tilts).reshape(12, 20).mean(axis=1) * (x[1] - x[0])
    assert masses == pytest.approx(counts, abs=0.006)
