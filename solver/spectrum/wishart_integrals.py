"""Truncated moments of the noisy Wishart law from one complex root of a cubic.

With K(g) = 1/g + t g + s^2/(s - g) and K(g) = epsilon (theory.md section 9),

    mass = Im int (K - eps) dg / pi,       first = Im int (K - eps)^2 dg / (2 pi),
    J = Im int (K - eps)^3 dg / (3 pi),    j1 = 2 delta Im int (K - eps)^2 g dg / pi,

from the root g(epsilon) to the top edge. Ending the path at another real point instead changes
the integrals by residues, that is by exact moments: of the upper band (`GAP`) or of all (`BOTTOM`).
Here the four integrals are evaluated to each of the three ends, in two independent ways: by the
elementary primitive, and along a parabola in the complex plane by Gauss-Legendre.
"""

from __future__ import annotations

import cmath
import math
from functools import cache

import numpy as np

from attlas.solver.spectrum.integrals import NOTHING, Integrals
from attlas.solver.spectrum.law import UNIT, ComplexArray, FloatArray
from attlas.solver.spectrum.wishart_curve import WishartCurve

TOP, GAP, BOTTOM = 0, 1, 2


def exact(curve: WishartCurve, epsilon: float, end: int) -> Integrals:
    """The residues: integrals over nothing, over the upper band, or over the whole law."""
    if end == TOP:
        return NOTHING
    s, t, kappa0, delta = curve.s, curve.t, curve.kappa0, curve.delta
    if end == BOTTOM:
        terms = (1.0, s, 1 + kappa0 + t, 2 * delta)
        return _shifted(terms, (0.0, 0.0), epsilon)
    k2 = kappa0 * kappa0
    second = 1 + kappa0 + t * kappa0 * (2 - kappa0) + t * t * k2
    slope = 2 * delta * (kappa0 * (2 - kappa0) + 2 * t * k2)
    terms = (kappa0, s + t * s * kappa0, second, slope)
    return _shifted(terms, (2 * delta * s * kappa0, 0.0), epsilon)


def exact_lower_band(curve: WishartCurve, epsilon: float) -> Integrals:
    """Integrals over the lower band of two: residue at infinity, free of cancellation."""
    s, t, kappa0, delta, rest = curve.s, curve.t, curve.kappa0, curve.delta, curve.one_minus_kappa0
    k2 = kappa0 * kappa0
    terms = (
        rest,
        -t * s * kappa0,
        t * rest**2 - t * t * k2,
        2 * delta * (rest**2 - 2 * t * k2),
    )
    return _shifted(terms, (-2 * delta * s * kappa0, 0.0), epsilon)


def _shifted(
    terms: tuple[float, float, float, float], slopes: tuple[float, float], epsilon: float
) -> Integrals:
    """From mass, mean, second moment (and its delta slope) to moments about epsilon."""
    mass, mean, second, slope = terms
    mean_slope = slopes[0]
    return Integrals(
        mass,
        mean - epsilon * mass,
        second - 2 * epsilon * mean + epsilon * epsilon * mass,
        slope - 2 * epsilon * mean_slope,
        2 * UNIT * mass,
        4 * UNIT * (abs(mean) + abs(epsilon) * mass),
        4 * UNIT * (second + 2 * abs(epsilon * mean) + epsilon * epsilon * mass),
        4 * UNIT * (abs(slope) + 2 * abs(epsilon * mean_slope)),
    )


def primitive(curve: WishartCurve, epsilon: float, g: complex, end: int) -> Integrals:
    """The four integrals from g(epsilon) to the end, by the elementary primitive.

    The error bars are the rounding errors of the terms; an error of the root itself enters at
    second order or higher because K - epsilon vanishes there.
    """
    s, t, kappa0, delta = curve.s, curve.t, curve.kappa0, curve.delta
    h = s - g
    # the arguments relative to their values at the end: 0, or -pi and pi
    phase_g = cmath.phase(-g if end == BOTTOM else g)
    phase_h = cmath.phase(-h if end == GAP else h)
    upper = s + t * s * kappa0 - epsilon * kappa0
    c2 = 2 * t * (1 - kappa0) + epsilon * epsilon
    ratio = kappa0 / h
    g2 = g * g
    g3, g4, over_g = g2 * g, g2 * g2, 1 / g

    mass = (
        phase_g,
        -kappa0 * phase_h,
        t * g2.imag / 2,
        -epsilon * g.imag,
    )
    first = (
        -over_g.imag,
        2 * (s - epsilon) * phase_g,
        kappa0 * ratio.imag,
        -2 * upper * phase_h,
        c2 * g.imag,
        -t * epsilon * g2.imag,
        t * t * g3.imag / 3,
    )
    j1 = (
        phase_g,
        2 * (s - epsilon - upper) * g.imag,
        s * kappa0 * ratio.imag,
        -(2 * s * upper - kappa0 * kappa0) * phase_h,
        c2 * g2.imag / 2,
        -2 * t * epsilon * g3.imag / 3,
        t * t * g4.imag / 4,
    )
    total = 1 + kappa0 + t - 2 * epsilon * s + epsilon * epsilon
    band = (
        1
        + kappa0
        + t * kappa0 * (2 - kappa0)
        + (t * kappa0) ** 2
        - 2 * epsilon * (s + t * s * kappa0)
        + epsilon * epsilon * kappa0
    )
    second = (
        -(over_g * over_g).imag / 2,
        -3 * (s - epsilon) * over_g.imag,
        3 * total * phase_g,
        -3 * band * phase_h,
        3 * (s + kappa0 * (s * t - epsilon)) * ratio.imag,
        kappa0 * (ratio * ratio).imag / 2,
        -(3 * t * (2 * epsilon * (1 - kappa0) + t * s * kappa0) + epsilon**3) * g.imag,
        3 * t * (t * (1 - kappa0) + epsilon * epsilon) * g2.imag / 2,
        -t * t * epsilon * g3.imag,
        t * t * t * g4.imag / 4,
    )
    # sizes of the coefficients before their own cancellation, for the error bars
    large = abs(epsilon) + s + t * s * kappa0
    moment = (1 + kappa0) * (1 + t * t) + 2 * abs(epsilon) * large + epsilon * epsilon
    modulus, inverse, pole = abs(g), abs(over_g), abs(ratio)
    grown = t * modulus + abs(epsilon)
    turn, lift = abs(phase_g), abs(phase_h)
    sizes = (
        turn + kappa0 * lift + modulus * grown,
        inverse + 2 * large * (turn + lift) + kappa0 * pole + modulus * (grown**2 + 2 * t),
        turn
        + 4 * modulus * large
        + s * kappa0 * pole
        + (2 * s * large + kappa0 * kappa0) * lift
        + modulus**2 * (grown**2 + 2 * t),
        inverse**2
        + 3 * large * inverse
        + 3 * moment * (turn + lift)
        + 3 * (s + kappa0 * (s * t + abs(epsilon))) * pole
        + kappa0 * pole**2
        + modulus * (grown**3 + 9 * t * (grown + t * s)),
    )
    pi = math.pi
    rounding = 4 * UNIT / pi
    return Integrals(
        -sum(mass) / pi,
        -sum(first) / (2 * pi),
        -sum(second) / (3 * pi),
        -2 * delta * sum(j1) / pi,
        rounding * sizes[0],
        rounding * sizes[1],
        rounding * sizes[3],
        2 * delta * rounding * sizes[2],
    )


@cache
def _half_rules() -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """Gauss-Legendre nodes on (-1, 0) of a symmetric rule of 80 and of 56 nodes, and weights."""
    y_fine, w_fine = np.polynomial.legendre.leggauss(80)
    y_rough, w_rough = np.polynomial.legendre.leggauss(56)
    y = np.concatenate((y_fine[:40], y_rough[:28]))
    return y, y * y - 1, np.concatenate((w_fine[:40], w_rough[:28])), 40


def along_path(curve: WishartCurve, g0: complex, real_root: float, end: float) -> Integrals:
    """The four integrals from g0 = g(epsilon) to the real point ``end``, along a parabola.

    On the path K - epsilon is the product of its root factors, so nothing cancels however close
    epsilon is to an edge. The error bars are the change from 56 to 80 nodes plus rounding.
    """
    y, bow, weight, split = _half_rules()
    a, b = g0.real, -g0.imag
    spread = a - end
    g: ComplexArray = end + spread * (y * y) + (1j * b) * y
    slope = 2 * spread * y + 1j * b
    pair = bow * (spread * spread * bow - b * b + (2j * b * spread) * y)
    excess = curve.t * pair * (g - real_root) / (g * (g - curve.s))
    step = weight * slope
    one = excess * step
    two = excess * one
    values = np.stack((one, two, two * excess, two * g)).imag
    fine = values[:, :split].sum(axis=1)
    rough = values[:, split:].sum(axis=1)
    # the differences from the poles lose digits where the path passes close to them
    lost = 8 + (np.abs(g) + curve.s) / np.abs(g - curve.s)
    size = (np.abs(values[:, :split]) * lost[:split]).sum(axis=1)
    pi = math.pi
    scale = (1 / pi, 1 / (2 * pi), 1 / (3 * pi), 2 * curve.delta / pi)
    error = np.abs(fine - rough) + 8 * UNIT * size
    return Integrals(
        *(float(f) * c for f, c in zip(fine, scale, strict=True)),
        *(float(e) * c for e, c in zip(error, scale, strict=True)),
    )
