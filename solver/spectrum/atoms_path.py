"""Truncated integrals of the noisy law of given eigenvalues, along a contour.

With X(zeta) = zeta + t G0(zeta) and X(zeta0) = epsilon, integrals over x > epsilon are those of
(X - eps)^k along any path from zeta0 to a real point c, plus the residues of the poles above c:

    mass = -Im int (X - eps) dzeta/(pi t),   int (x - eps) = -Im int (X - eps)^2 dzeta/(2 pi t),
    J = -Im int (X - eps)^3 dzeta/(3 pi t),  J1 = (2 delta/pi) Im int (X - eps)^2 G0 G0' dzeta.

No density, no edge and no sum over narrow bands is involved. On the path
X - eps = (zeta - zeta0)(zeta - conj zeta0) sum_i p_i/(zeta - s_i), p_i = t w_i/|zeta0 - s_i|^2,
which does not cancel. theory.md sections 5, 9 and 16.
"""

from __future__ import annotations

import math

import numpy as np

from attlas.solver.spectrum.atoms_poles import Poles
from attlas.solver.spectrum.integrals import Integrals
from attlas.solver.spectrum.law import UNIT, ComplexArray, FloatArray
from attlas.solver.spectrum.panels import composite, panels

FINE, ROUGH = 24, 20
ABOUT = np.array([0.0, -0.4, 0.4, -0.8, 0.8, -1.2, 1.2])
TINY = 1e-300


def crossing(poles: Poles, anchor: float, zeta0: complex) -> tuple[float, int]:
    """Where the path should meet the real axis (relative to anchor), and the poles below it.

    Candidates are points about Re zeta0, the minima between neighbouring poles, and points
    outside all of them. The best is near, and far from poles, on the scale of Im zeta0: close to a
    pole the powers of X - eps are large and cancel.
    """
    s = poles.s - anchor
    u, v = zeta0.real, zeta0.imag
    about = u + v * ABOUT
    outside = np.array([min(u, s[0] - v), max(u, s[-1] + v)])
    places = np.concatenate((about, s[:-1] + poles.offset, outside))
    room = np.concatenate(
        (
            np.abs(np.subtract.outer(about, s)).min(axis=1),
            np.minimum(poles.offset, np.diff(s) - poles.offset),
            [s[0] - outside[0], outside[1] - s[-1]],
        )
    )
    # Neighbours may coincide in double precision.
    score = np.abs(places - u) / v + 4 * np.log2(1 + v / np.maximum(room, TINY))
    best = float(places[int(score.argmin())])
    return best, int(np.searchsorted(s, best))


def along_path(
    poles: Poles, delta: float, anchor: float, epsilon: float, zeta0: complex, end: float
) -> Integrals:
    """The integrals from zeta0 to the real point ``end``; positions relative to ``anchor``."""
    t = delta * delta
    s = poles.s - anchor
    a, b = zeta0.real, zeta0.imag
    spread = a - end
    pieces = panels(0.0, 1.0, _singular(s - end, spread, b))
    y_fine, w_fine = composite(pieces, FINE)
    y_rough, w_rough = composite(pieces, ROUGH)
    y = np.concatenate((y_fine, y_rough))
    zeta = end + spread * y * y + 1j * b * y
    inverse = 1 / (zeta[:, None] - s)
    pull = t * poles.w / np.abs(zeta0 - s) ** 2
    sums = inverse @ np.stack((poles.w, pull), axis=1)
    slope = -(inverse * inverse) @ poles.w
    pair = (y * y - 1) * (spread * spread * (y * y - 1) + 2j * b * spread * y - b * b)
    excess = pair * sums[:, 1]
    # from zeta0 (y = 1) to the end (y = 0)
    step = -np.concatenate((w_fine, w_rough)) * (2 * spread * y + 1j * b)
    one = excess * step
    two = excess * one
    values = np.stack((one, two, two * excess, two * sums[:, 0] * slope))
    lost = 16 + np.abs(zeta) * np.abs(inverse).max(axis=1)
    split = y_fine.size
    fine = values[:, :split].imag.sum(axis=1)
    rough = values[:, split:].imag.sum(axis=1)
    size = (np.abs(values[:, :split]) * lost[:split]).sum(axis=1)
    x_error = 8 * UNIT * (abs(epsilon - anchor) + abs(zeta0) + UNIT * abs(epsilon))
    scale = np.array([-1 / (math.pi * t), -1 / (2 * math.pi * t), -1 / (3 * math.pi * t), 0.0])
    scale[3] = 2 * delta / math.pi
    mass, first, second, j1 = (float(value) for value in fine * scale)
    error = (np.abs(fine - rough) + 8 * UNIT * size) * np.abs(scale)
    rho = b / (math.pi * t)
    transform = abs(complex(epsilon - anchor) - zeta0) / t
    return Integrals(
        mass,
        first,
        second,
        j1,
        float(error[0]) + x_error * rho,
        float(error[1]) + x_error * abs(mass),
        float(error[2]) + 2 * x_error * abs(first),
        float(error[3]) + 4 * delta * x_error * transform * (abs(mass) + x_error * rho),
    )


def _singular(s: FloatArray, spread: float, b: float) -> ComplexArray:
    """The y at which the parabola spread y^2 + i b y passes through the poles."""
    root: ComplexArray = np.sqrt(np.asarray(4 * spread * s - b * b, dtype=np.complex128))
    # the root of larger modulus first, then the other from the product -s/spread
    big = np.asarray(np.where(root.imag >= 0, -1j * b - root, -1j * b + root), dtype=np.complex128)
    small = np.asarray(-2 * s / big, dtype=np.complex128)
    if spread == 0.0:
        return small
    return np.concatenate((small, np.asarray(big / (2 * spread), dtype=np.complex128)))
