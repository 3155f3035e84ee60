"""The curve of Stieltjes transforms of the noisy Wishart law: its edges and its points.

G(x) runs over the curve Im K(g) = 0, Im g < 0, where K(g) = 1/g + t g + s^2/(s - g), s^2 = kappa0,
t = delta^2 (theory.md sections 5 and 9). For x inside a band the cubic K(g) = x has one real root
r = s + p, p > 0, and x increases with p. Everything else is explicit in p: with p_e = s cot^2(psi)
the value at an edge, w = p - p_e, r_e = s + p_e,

    x - x_e = w (t + N/M),   Re g - g_e = w N/(2 t M),   M = p p_e r r_e,
    N = (s^2 - 1) p p_e + s^3 (p + p_e) + s^4,           (Im g)^2 = -(s/(2 p r))^2 prod_k (p - p_k),

with the product over all four critical points. Nothing here cancels near an edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.solver.spectrum.bracketed_newton import bracketed_newton
from attlas.solver.spectrum.law import UNIT, ComplexArray, FloatArray


@dataclass(frozen=True)
class Edge:
    """A real critical point g of K, its critical value x, and the parameter p there."""

    g: float
    x: float
    p: float


@dataclass(frozen=True)
class Interval:
    """A band between two edges: the width in p, and ``others``, the other critical values of p.

    ``others_error`` is the relative error of the latter.
    """

    lower: Edge
    upper: Edge
    width: float
    others: tuple[complex, complex]
    others_error: float


class WishartCurve:
    """K(g) for one (kappa0, delta), its critical points and the points of its curve.

    Parameters
    ----------
    kappa0 : float
        Rank ratio, > 0.
    delta : float
        Noise level, > 0.
    one_minus_kappa0 : float
        1 - kappa0, given separately because it may be exact where kappa0 is rounded.

    Attributes
    ----------
    intervals : tuple of Interval
        One band or two, in increasing x.
    """

    def __init__(self, kappa0: float, delta: float, one_minus_kappa0: float) -> None:
        self.kappa0 = kappa0
        self.s = math.sqrt(kappa0)
        self.delta = delta
        self.t = delta * delta
        self.one_minus_kappa0 = one_minus_kappa0
        self.one_minus_s = one_minus_kappa0 / (1 + self.s)
        self.intervals = self._intervals()

    def _intervals(self) -> tuple[Interval, ...]:
        """Edges from the critical equation 1/g^2 - t = s^2/(s - g)^2 with delta |g| = sin(psi).

        On its three intervals it reads s tan(psi) + sin(psi) = s delta (top edge, 0 < g < s),
        s tan(psi) - sin(psi) = s delta (bottom edge, g < 0) and its negative (gap, g > s), the
        last with no root or one on each side of cos(psi) = s^(1/3).
        """
        s, s_delta = self.s, self.s * self.delta
        zero, right = (0.0, math.pi / 2), (math.pi / 2, 0.0)
        turn = zero
        if self.one_minus_s > 0:
            turn = (math.acos(s ** (1 / 3)), math.asin(s ** (1 / 3)))
        first = self._edge(-1.0, -1.0, *self._direction(-1.0, s_delta, turn, right))
        last = self._edge(1.0, 1.0, *self._direction(1.0, s_delta, zero, right))
        two_bands = self._critical(-1.0, -s_delta, math.sin(turn[0]), math.sin(turn[1])) < 0
        if two_bands:
            upper = self._edge(1.0, -1.0, *self._direction(-1.0, -s_delta, zero, turn))
            lower = self._edge(1.0, -1.0, *self._direction(-1.0, -s_delta, turn, right))
            error = 64 * UNIT
            if upper.p < 1.1 * lower.p:
                lower, upper, error = self._recentred(first.p, lower, upper, last.p)
            return (
                self._interval(first, lower, (complex(upper.p), complex(last.p)), error),
                self._interval(upper, last, (complex(first.p), complex(lower.p)), error),
            )
        square, twice, error = self._inner_values(first.p, last.p)
        height = math.sqrt(max(square - twice * twice / 4, 0.0))
        pair = (complex(twice / 2, height), complex(twice / 2, -height))
        return (self._interval(first, last, pair, error),)

    def _critical(self, sign: float, level: float, sine: float, cosine: float) -> float:
        """s tan(psi) + sign sin(psi) - level, without cancellation at small psi."""
        if sign > 0:
            return self.s * sine / cosine + sine - level
        bend = self.s * sine**3 / (cosine * (1 + cosine))
        return bend - self.one_minus_s * sine - level

    def _direction(
        self, sign: float, level: float, low: tuple[float, float], high: tuple[float, float]
    ) -> tuple[float, float]:
        """(sin psi, cos psi) at the zero of `_critical` between two angles.

        Each angle comes with its complement; beyond 60 degrees the complement is the unknown, so
        that a small cosine keeps its digits.
        """
        s = self.s
        split = math.pi / 3

        def by_angle(psi: float) -> tuple[float, float]:
            sine, cosine = math.sin(psi), math.cos(psi)
            return self._critical(sign, level, sine, cosine), s / cosine**2 + sign * cosine

        def by_complement(chi: float) -> tuple[float, float]:
            sine, cosine = math.cos(chi), math.sin(chi)
            return (
                (s + sign * cosine) * sine - level * cosine,
                sign * (sine * sine - cosine * cosine) - s * cosine - level * sine,
            )

        near = min(high[0], split)
        if low[0] < near:
            at_low, at_near = by_angle(low[0])[0], by_angle(near)[0]
            if (at_low > 0) != (at_near > 0):
                psi = bracketed_newton(by_angle, low[0], near, (low[0] + near) / 2)
                return math.sin(psi), math.cos(psi)
        chi_low, chi_high = high[1], min(low[1], math.pi / 2 - split)
        chi = bracketed_newton(by_complement, chi_low, chi_high, (chi_low + chi_high) / 2)
        return math.cos(chi), math.sin(chi)

    def _interval(
        self, lower: Edge, upper: Edge, others: tuple[complex, complex], error: float
    ) -> Interval:
        width = upper.p - lower.p
        if upper.p < 2 * lower.p:
            # p hardly changes across a narrow lower band, x does
            width = (upper.x - lower.x) / (self.t + self._bend(upper.p, lower))
        return Interval(lower, upper, width, others, error)

    def _edge(self, side: float, kind: float, sine: float, cosine: float) -> Edge:
        """The edge with delta g = side sin(psi); kind is 1 at the top edge and -1 elsewhere."""
        if kind > 0:
            rest = 1 + self.s * cosine
        else:
            rest = self.one_minus_s + self.s * sine * sine / (1 + cosine)  # 1 - s cos(psi)
        x = side * self.delta * (rest / sine + sine)
        return Edge(side * sine / self.delta, x, self.s * (cosine / sine) ** 2)

    def _recentred(
        self, p_low: float, lower: Edge, upper: Edge, p_high: float
    ) -> tuple[Edge, Edge, float]:
        """Edges of a nearly closed gap: ill-conditioned one by one, but not their mean."""
        _, twice, error = self._inner_values(p_low, p_high)
        half = (upper.p - lower.p) / 2
        low, high = (
            Edge(math.sqrt(self.s / (self.s + p)) / self.delta, edge.x, p)
            for edge, p in ((lower, twice / 2 - half), (upper, twice / 2 + half))
        )
        return low, high, error

    def _inner_values(self, p_low: float, p_high: float) -> tuple[float, float, float]:
        """Product and sum of the two inner critical values of p, and the sum's relative error.

        By Vieta's formulas from the outer two, through the sum of the roots or that of their
        inverses, whichever loses less.
        """
        s, t = self.s, self.t
        square = s**4 / (t * t * p_low * p_high)
        if p_high * p_low <= square:
            total, low, high = 2 * (1 + self.kappa0 - self.kappa0 * t) / (s * t), p_low, p_high
        else:
            total = 2 * square * (self.kappa0 * t + self.one_minus_kappa0) / s**3
            low, high = square / p_high, square / p_low
        twice = total - low - high
        return square, twice, 24 * UNIT * (abs(total) + low + high) / abs(twice)

    def value(self, g: complex) -> complex:
        """K(g)."""
        return 1 / g + self.t * g + self.kappa0 / (self.s - g)

    def _bend(self, p: Any, edge: Edge) -> Any:
        """N/M, any shape of p."""
        s, q = self.s, edge.p
        n = s**3 * (p + q + s) - self.one_minus_kappa0 * p * q
        return n / (p * q * (s + p) * (s + q))

    def offset(self, x: float, interval: Interval) -> tuple[Edge, float]:
        """An edge and w = p - p_e, for x strictly inside the band.

        Of the two edges the one against which x and p keep more digits.
        """
        s, t, rest = self.s, self.t, self.one_minus_kappa0
        lower, upper = interval.lower, interval.upper
        guess = self._real_root(x) - s
        width = interval.width
        inside = min(max(guess - lower.p, 1e-12 * width), (1 - 1e-12) * width)
        loss_low = (abs(lower.x) + self.delta) / (x - lower.x) * max(1.0, inside / (width - inside))
        loss_high = (abs(upper.x) + self.delta) / (upper.x - x) * max(1.0, upper.p / inside)
        near_top = loss_high < loss_low
        edge = upper if near_top else lower
        target = x - edge.x

        def excess(w: float) -> tuple[float, float]:
            p = edge.p + w
            r = s + p
            n = s**3 * (2 * p + s) - rest * p * p
            return w * (t + self._bend(p, edge)) - target, t + n / (p * r) ** 2

        low, high = (-width, 0.0) if near_top else (0.0, width)
        return edge, bracketed_newton(excess, low, high, guess - edge.p)

    def _real_root(self, x: float) -> float:
        """The real root of the cubic, to the accuracy of Cardano's formula: a starting point."""
        s, t = self.s, self.t
        b, c = s * t + x, s * x + self.one_minus_kappa0
        p = c / t - b * b / (3 * t * t)
        q = (-2 * b * b * b / (27 * t) + b * c / 3 - s * t) / (t * t)
        root = math.sqrt(max(q * q / 4 + p * p * p / 27, 0.0))
        big = math.cbrt(-q / 2 - math.copysign(root, q))
        return b / (3 * t) + (big - p / (3 * big) if big != 0.0 else 0.0)

    def root(self, x: float, interval: Interval) -> tuple[complex, float, float]:
        """The root g of K(g) = x with Im g < 0, the real root, and the relative error of Im g.

        For x strictly inside a band.
        """
        edge, w = self.offset(x, interval)
        p = edge.p + w
        low, high = (w, interval.width - w) if w > 0 else (interval.width + w, -w)
        height = math.sqrt(max(self._height_squared(p, low, high, interval), 0.0))
        real = min(self._real_parts(p, low, high, interval), key=lambda pair: pair[1])[0]
        first, second = interval.others
        apart = p / abs(p - first) + p / abs(p - second) + (p * p) / abs((p - first) * (p - second))
        return complex(real, -height), self.s + p, 2 * (16 * UNIT + interval.others_error * apart)

    def _height_squared(self, p: Any, low: Any, high: Any, interval: Interval) -> Any:
        """(Im g)^2 at the distances ``low`` and ``high`` of p from the two edges; any shape."""
        first, second = interval.others
        product = ((p - first) * (p - second)).real * low * high
        return product * (self.s / (2 * p * (self.s + p))) ** 2

    def _real_parts(
        self, p: Any, low: Any, high: Any, interval: Interval
    ) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Re g from the lower and from the upper edge, each with the size of its terms."""
        from_low = low * self._bend(p, interval.lower) / (2 * self.t)
        from_high = -high * self._bend(p, interval.upper) / (2 * self.t)
        g_low, g_high = interval.lower.g, interval.upper.g
        return (
            (g_low + from_low, abs(g_low) + abs(from_low)),
            (g_high + from_high, abs(g_high) + abs(from_high)),
        )

    def points(
        self, low: FloatArray, high: FloatArray, interval: Interval
    ) -> tuple[FloatArray, ComplexArray, FloatArray]:
        """x, g and dx/dp at the distances ``low`` and ``high`` of p from the two edges."""
        lower, upper = interval.lower, interval.upper
        from_low = low < high
        p = np.where(from_low, lower.p + low, upper.p - high)
        height = np.sqrt(np.maximum(self._height_squared(p, low, high, interval), 0.0))
        (one, one_size), (two, two_size) = self._real_parts(p, low, high, interval)
        real = np.where(one_size < two_size, one, two)
        x = np.where(
            from_low,
            lower.x + low * (self.t + self._bend(p, lower)),
            upper.x - high * (self.t + self._bend(p, upper)),
        )
        r = self.s + p
        slope = self.t * ((r - real) ** 2 + height**2) / (r * p)
        return x, real - 1j * height, slope
