"""Phases V and VIa in exact form: the noise bulk alone, below and beyond interpolation."""

from __future__ import annotations

from scipy.optimize import brentq

from attlas.solver.spectrum.first_order import semicircle


def dense_error(alpha: float, noise: float) -> float:
    """Squared error noise G/(2 (2 alpha - G)) in the limit lam -> 0+ (theory.md section 14).

    Parameters
    ----------
    alpha : float
        n/d^2 > 0.
    noise : float

    Notes
    -----
    G = int_t (x - t)^2 over the semicircle of radius 2, t with (1/2) int_t x (x - t) = alpha, or
    t = 0 where alpha is larger than 1/4.
    """

    def excess(t: float) -> float:
        half = semicircle(t)
        return (2 * half.j - t * half.j2) / 4 - alpha

    t = 0.0 if excess(0.0) <= 0 else float(brentq(excess, 0.0, 2.0, xtol=1e-15, rtol=1e-14))  # type: ignore[arg-type]
    kept = semicircle(t).j
    return noise * kept / (2 * (2 * alpha - kept))
