"""J and its derivatives by scipy's quad over the density of S0 + delta Z, Wishart target."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


def transform(x: float, kappa0: float, delta: float) -> complex:
    """G(x + i0): the root of the cubic with the most negative imaginary part (theory.md 5)."""
    s, t = np.sqrt(kappa0), delta**2
    roots = np.roots([-t / s, t + x / s, -(x + 1 / s - s), 1.0])
    return complex(roots[np.argmin(roots.imag)])


def top_edge(kappa0: float, delta: float) -> float:
    """The largest x of the support, by bisection on the density."""
    s = np.sqrt(kappa0)
    far = (1 + s) ** 2 / s + 2 * delta + 1
    inside = far
    while transform(inside, kappa0, delta).imag > -1e-9:
        inside -= 0.01
    edge: Any = brentq(lambda x: transform(x, kappa0, delta).imag + 1e-9, inside, far, xtol=1e-12)
    return float(edge)


def j_and_derivatives(kappa0: float, delta: float, epsilon: float) -> tuple[float, float, float]:
    """J, dJ/d delta, dJ/d epsilon (theory.md sections 3 and 5)."""
    top = top_edge(kappa0, delta)

    def integral(weight) -> float:  # type: ignore[no-untyped-def]
        def integrand(x: float) -> float:
            g = transform(x, kappa0, delta)
            return weight(x, g.real) * -g.imag / np.pi

        return quad(integrand, epsilon, top, limit=200)[0]

    return (
        integral(lambda x, _: (x - epsilon) ** 2),
        4 * delta * integral(lambda x, h: (x - epsilon) * h),
        -2 * integral(lambda x, _: x - epsilon),
    )
