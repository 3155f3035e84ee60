"""Gauss-Legendre panels graded by the known singularities of the integrand."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from attlas.solver.spectrum.law import ComplexArray, FloatArray

RHO = 2.5
#: Halvings towards a singularity; towards a focus of a double integral, where what is left out
#: counts squared.
DEPTH, FOCUS_DEPTH = 45, 30


def nodes_for(tol: float) -> int:
    """Nodes a panel needs for a relative accuracy ``tol``.

    The error is at most RHO^(-2 n) times the integrand on the ellipse, which ten nodes absorb.
    """
    return max(4, math.ceil(math.log(1 / tol) / (2 * math.log(RHO))) + 10)


@cache
def legendre(n: int) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights on (-1, 1)."""
    return np.polynomial.legendre.leggauss(n)


def panels(
    low: float, high: float, singularities: ArrayLike, depth: int = DEPTH
) -> list[tuple[float, float]]:
    """Bisect (low, high) until no singularity lies in the Bernstein ellipse RHO of a panel.

    Parameters
    ----------
    low, high : float
        The interval.
    singularities : array_like of complex
        Where the integrand is not analytic; points on the interval are approached
        geometrically, down to 2^-depth of its length.
    depth : int
    """
    points: ComplexArray = np.asarray(singularities, dtype=complex)
    done: list[tuple[float, float]] = []
    waiting = [(low, high, depth)]
    while waiting:
        a, b, left = waiting.pop()
        half, middle = (b - a) / 2, (a + b) / 2
        if half <= 0:
            continue
        if left > 0 and _crowded((points - middle) / half):
            waiting += [(middle, b, left - 1), (a, middle, left - 1)]
        else:
            done.append((a, b))
    return done


def _crowded(z: ComplexArray) -> bool:
    """Whether a point lies within the ellipse with foci -1, 1 and sum of semi-axes RHO."""
    return bool(np.any(np.abs(z - 1) + np.abs(z + 1) < RHO + 1 / RHO))


def composite(pieces: Sequence[tuple[float, float]], n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of n-point Gauss-Legendre on every piece."""
    y, w = legendre(n)
    ends = np.asarray(pieces, dtype=float).reshape(-1, 2)
    half = (ends[:, 1] - ends[:, 0]) / 2
    middle = (ends[:, 1] + ends[:, 0]) / 2
    return (middle[:, None] + half[:, None] * y).ravel(), (half[:, None] * w).ravel()


def angle_singularities(fraction: complex, complement: complex) -> tuple[complex, ...]:
    """Images in theta of a singularity at the fraction (1 - cos theta)/2 of an interval.

    Parameters
    ----------
    fraction, complement : complex
        The position as a fraction of the interval from its lower end, and from its upper end:
        both, so that a point near either end keeps its digits.
    """
    if abs(fraction) < abs(complement):
        angle = 2 * cmath.asin(cmath.sqrt(fraction))
    else:
        angle = math.pi - 2 * cmath.asin(cmath.sqrt(complement))
    return angle, -angle, 2 * math.pi - angle
