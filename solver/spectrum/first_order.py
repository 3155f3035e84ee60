"""One eigenvalue in a sea of noise: what it adds to the truncated integrals, at delta = 1.

For S0 = s v v^T the integrals above epsilon are those of the semicircle plus 1/d times the
response of y = s/delta at e = epsilon/delta. With x = zeta + 1/zeta, e = zeta_e + 1/zeta_e and
R(zeta) = (zeta + 1/zeta - e)^2 the response of J is

    B(y, e) = -(1/pi) Im int_{zeta_e}^infinity R(zeta) [1/(zeta - y) - 1/zeta] dzeta,

elementary in zeta_e = exp(i phi) inside the bulk, e = 2 cos phi, and R(y) where y + 1/y > e and
y > 1 outside it: the outlier of theory.md section 14.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np

from attlas.solver.spectrum.law import FloatArray

#: Beyond these the primitive cancels and a series in y, or 1/y, has all digits.
SMALL, LARGE = 0.2, 5.0
_TERMS = 24


@dataclass(frozen=True)
class Response:
    """Semicircle integrals, or summed responses of eigenvalues, at delta = 1.

    Attributes
    ----------
    j : float
        int_e (x - e)^2, or its change.
    j2 : float
        Its derivative in e.
    strength : float
        Sum of y dB/dy; 0 for the semicircle.
    mass : float
        Mass above e, or its change.
    mse : float
        Contribution to the squared error, y^2 + B - y dB/dy summed; j for the semicircle.
    """

    j: float
    j2: float
    strength: float
    mass: float
    mse: float

    def __add__(self, other: Self) -> Response:
        return Response(
            self.j + other.j,
            self.j2 + other.j2,
            self.strength + other.strength,
            self.mass + other.mass,
            self.mse + other.mse,
        )

    def __mul__(self, factor: float) -> Response:
        return Response(
            self.j * factor,
            self.j2 * factor,
            self.strength * factor,
            self.mass * factor,
            self.mse * factor,
        )


def angle(e: float) -> float:
    """phi with e = 2 cos phi: 0 above the bulk, pi below it."""
    return 2 * math.asin(math.sqrt(min(max((2 - e) / 4, 0.0), 1.0)))


def semicircle(e: float) -> Response:
    """The semicircle of radius 2 above e, by quadrature of positive terms."""
    phi = angle(e)
    nodes, weights = _legendre()
    psi = phi / 2 * (nodes + 1)
    density = 2 / math.pi * np.sin(psi) ** 2 * weights * phi / 2
    height = 4 * np.sin((phi + psi) / 2) * np.sin((phi - psi) / 2) - min(e + 2, 0.0)
    j = float(density @ height**2)
    return Response(j, -2 * float(density @ height), 0.0, float(density.sum()), j)


@cache
def _legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(40)
    return nodes, weights


class Series:
    """Coefficients of B in powers of y, for one threshold: B = sum_k y^k c_k/pi, y < 1.

    Above the bulk all vanish, and B = R(y) - (c_0 + sum_k y^-k c_k)/pi for y > 1.

    Parameters
    ----------
    e : float
        Threshold, greater than -2.
    """

    def __init__(self, e: float) -> None:
        self.e = e
        phi = angle(e)
        order = np.arange(_TERMS + 3, dtype=float)
        waves = np.empty(_TERMS + 3)
        waves[0], waves[1:] = phi, np.sin(order[1:] * phi) / order[1:]
        mirrored = np.concatenate((waves[2:0:-1], waves))  # index m + 2 holds s_|m|
        k = np.arange(_TERMS + 1)
        low2, low1, mid, up1, up2 = (mirrored[k + shift] for shift in range(5))
        self.c = (low2 - 2 * e * (low1 + up1) + (2 + e * e) * mid + up2) / math.pi
        self.slope = (-2 * (low1 + up1) + 2 * e * mid) / math.pi
        self.mass = mid / math.pi

    def small(self, powers: FloatArray) -> Response:
        """Eigenvalues y < 1 given by their power sums sum y^k, k = 0, 1, ..."""
        k = np.arange(1, _TERMS + 1)
        sums = powers[1 : _TERMS + 1]
        j = float(sums @ self.c[1:])
        strength = float((k * sums) @ self.c[1:])
        return Response(
            j,
            float(sums @ self.slope[1:]),
            strength,
            float(sums @ self.mass[1:]),
            float(powers[2]) - float(((k - 1) * sums) @ self.c[1:]),
        )

    def large(self, y: FloatArray, weights: FloatArray) -> Response:
        """Eigenvalues y > 1 with weights."""
        e, over = self.e, 1 / y
        height = y + over - e
        k = np.arange(_TERMS + 1)
        sums = np.array([weights @ over**power for power in k])
        total = float(weights.sum())
        return Response(
            float(weights @ height**2) - float(sums @ self.c),
            -2 * float(weights @ height) - float(sums @ self.slope),
            2 * float(weights @ (height * (y - over))) + float((k * sums) @ self.c),
            total - float(sums @ self.mass),
            float(weights @ (e * e + 2 - 4 * e * over + 3 * over**2))
            - float(((1 + k) * sums) @ self.c),
        )


def middle(e: float, y: FloatArray, weights: FloatArray) -> Response:
    """Eigenvalues of order one, by the primitive; outside the bulk the outliers above e."""
    height, over = y + 1 / y - e, 1 / y
    if e >= 2:
        kept = np.where((y > 1) & (height > 0), weights, 0.0)
        return Response(
            float(kept @ height**2),
            -2 * float(kept @ height),
            2 * float(kept @ (height * (y - over))),
            float(kept.sum()),
            float(weights @ y**2) + float(kept @ (height**2 - 2 * height * (y - over))),
        )
    phi = angle(e)
    sin = math.sin(phi)
    theta = np.arctan2(sin, e / 2 - y)
    square = height**2
    j = (
        (y - over + 2 * e) * sin
        - math.sin(2 * phi) / 2
        + square * theta
        + (2 * e * over - over**2 - 2 - e * e) * phi
    ) / math.pi
    strength = (
        y * sin * (1 + over**2)
        + 2 * height * (y - over) * theta
        + height * sin
        + (2 * over**2 - 2 * e * over) * phi
    ) / math.pi
    j2 = (2 * sin - 2 * height * theta + (2 * over - 2 * e) * phi) / math.pi
    mass = (theta - phi) / math.pi
    return Response(
        float(weights @ j),
        float(weights @ j2),
        float(weights @ strength),
        float(weights @ mass),
        float(weights @ (y * y + j - strength)),
    )
