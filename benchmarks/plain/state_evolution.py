"""State evolution as the field does it: fresh samples in each iteration, damping, quad."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.plain.spectrum import j_and_derivatives

SAMPLES, DAMPING = 25_000, 0.5
_METRIC = np.array([[3.0, 1.0], [1.0, 3.0]])
_NEWTON, _LARGEST_STEP = 40, 2.0


def iterate(
    alpha: float, lam: float, kappa0: float, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """(q, m, sigma) after each iteration: two tokens, no noise, beta = beta0 = kappa = 1."""
    q0 = 1 + kappa0
    overlaps = np.array([q0 / 2, q0 / 3, 5.0])
    while True:
        q_hat, m_hat, sigma_hat = _hats(alpha, q0, overlaps, rng)
        eta, delta, epsilon = m_hat / sigma_hat, math.sqrt(q_hat) / m_hat, 2 * lam / m_hat
        j, j1, j2 = j_and_derivatives(kappa0, delta, epsilon)
        new = np.array(
            [
                eta**2 * j,
                eta / 2 * (2 * j - delta * j1 - epsilon * j2),
                j1 / (2 * delta * sigma_hat),
            ]
        )
        overlaps = DAMPING * overlaps + (1 - DAMPING) * new
        yield overlaps


def _hats(
    alpha: float, q0: float, overlaps: np.ndarray, rng: np.random.Generator
) -> tuple[float, float, float]:
    """q_hat, m_hat, sigma_hat from a fresh sample (theory.md section 3, scores u and v)."""
    q, m, sigma = overlaps
    root = np.linalg.cholesky(_METRIC)
    a, b = (rng.standard_normal((SAMPLES, 2)) @ root.T for _ in range(2))
    spread = math.sqrt(max(q - m * m / q0, 1e-12))
    omega = m / math.sqrt(q0) * a + spread * b
    score = _proximal(1 / (1 + np.exp(-math.sqrt(q0) * a)), omega, sigma) - omega
    r = score @ np.linalg.inv(_METRIC) / sigma
    q_hat = 2 * alpha * np.mean(np.sum((r @ _METRIC) * r, axis=1))
    along = a / math.sqrt(q0) - m / (q0 * spread) * b
    m_hat = 2 * alpha * np.mean(np.sum(r * along, axis=1))
    sigma_hat = -2 * alpha / spread * np.mean(np.sum(r * b, axis=1))
    return float(q_hat), float(m_hat), float(sigma_hat)


def _proximal(label: np.ndarray, omega: np.ndarray, sigma: float) -> np.ndarray:
    """Newton on 2 (y - s(x))^2 + (x - omega)^T C^-1 (x - omega)/(2 sigma), from omega."""
    inverse = np.linalg.inv(_METRIC) / sigma
    x = omega.copy()
    for _ in range(_NEWTON):
        s = 1 / (1 + np.exp(-x))
        slope = s * (1 - s)
        gradient = -4 * (label - s) * slope + (x - omega) @ inverse
        # Gauss-Newton: the curvature stays positive.
        h11, h22 = (4 * slope[:, k] ** 2 + inverse[k, k] for k in (0, 1))
        h12 = inverse[0, 1]
        determinant = h11 * h22 - h12**2
        step = np.column_stack(
            [
                (h22 * gradient[:, 0] - h12 * gradient[:, 1]) / determinant,
                (h11 * gradient[:, 1] - h12 * gradient[:, 0]) / determinant,
            ]
        )
        x -= np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)
        if np.abs(step).max() < 1e-9:
            break
    return x
