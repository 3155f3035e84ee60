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

import numpy as np

from solver.spectrum.bracketed_newton import bracketed_newton
from solver.spectrum.law import ComplexArray, FloatArray


@dataclass(frozen=True)
class Edge:
    """A real critical point g of K, its critical value x, and the parameter p there."""

    g: float
    x: float
    p: float


@dataclass(frozen=True)
class Interval:
    """A band between two edges: the width in p, and ``others``, the other critical values of p."""

    lower: Edge
    upper: Edge
    width: float
    others: tuple[complex, complex]


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
        s tan(psi) - sin(psi) = s delta (bottom edge, g < 0) and its negative (gap, g > s).
        """
        s, s_delta = self.s, self.s * self.delta
        quarter = math.pi / 2

        def top(psi: float) -> tuple[float, float]:
            cosine = math.cos(psi)
            return s * math.tan(psi) + math.sin(psi) - s_delta, s / cosine**2 + cosine

        def bottom(psi: float) -> tuple[float, float]:
            return self._tilt(psi) - s_delta, s / math.cos(psi) ** 2 - math.cos(psi)

        def gap(psi: float) -> tuple[float, float]:
            return self._tilt(psi) + s_delta, s / math.cos(psi) ** 2 - math.cos(psi)

        turn = math.acos(s ** (1 / 3)) if self.one_minus_s > 0 else 0.0
        psi_top = bracketed_newton(top, 0.0, min(quarter, self.delta), s_delta / (1 + s))
        psi_bottom = bracketed_newton(bottom, turn, quarter, (turn + quarter) / 2)
        first, last = self._edge(-1.0, psi_bottom), self._top_edge(psi_top)
        if turn > 0 and gap(turn)[0] < 0:
            upper = self._edge(1.0, bracketed_newton(gap, 0.0, turn, s_delta))
            lower = self._edge(1.0, bracketed_newton(gap, turn, quarter, (turn + quarter) / 2))
            if upper.p < 1.1 * lower.p:
                lower, upper = self._recentred(first.p, lower, upper, last.p)
            return (
                self._interval(first, lower, (complex(upper.p), complex(last.p))),
                self._interval(upper, last, (complex(first.p), complex(lower.p))),
            )
        return (self._interval(first, last, self._complex_pair(first.p, last.p)),)

    def _interval(self, lower: Edge, upper: Edge, others: tuple[complex, complex]) -> Interval:
        width = upper.p - lower.p
        if upper.p < 2 * lower.p:
            # p hardly changes across a narrow lower band, x does
            width = (upper.x - lower.x) / (self.t + self._bend(upper.p, lower))
        return Interval(lower, upper, width, others)

    def _tilt(self, psi: float) -> float:
        """s tan(psi) - sin(psi), without cancellation at s near 1 and small psi."""
        bend = 2 * self.s * math.tan(psi) * math.sin(psi / 2) ** 2
        return bend - self.one_minus_s * math.sin(psi)

    def _edge(self, sign: float, psi: float) -> Edge:
        sine = math.sin(psi)
        rest = self.one_minus_s + 2 * self.s * math.sin(psi / 2) ** 2  # 1 - s cos(psi)
        x = sign * self.delta * (rest / sine + sine)
        return Edge(sign * sine / self.delta, x, self.s / math.tan(psi) ** 2)

    def _top_edge(self, psi: float) -> Edge:
        sine = math.sin(psi)
        x = self.delta * ((1 + self.s * math.cos(psi)) / sine + sine)
        return Edge(sine / self.delta, x, self.s / math.tan(psi) ** 2)

    def _recentred(
        self, p_low: float, lower: Edge, upper: Edge, p_high: float
    ) -> tuple[Edge, Edge]:
        """Edges of a nearly closed gap: ill-conditioned one by one, but not their mean."""
        mean = self._other_values(p_low, p_high)[1] / 2
        half = (upper.p - lower.p) / 2
        low, high = (
            Edge(math.sqrt(self.s / (self.s + p)) / self.delta, edge.x, p)
            for edge, p in ((lower, mean - half), (upper, mean + half))
        )
        return low, high

    def _complex_pair(self, p_low: float, p_high: float) -> tuple[complex, complex]:
        """The two complex critical values of p."""
        square, twice = self._other_values(p_low, p_high)
        height = math.sqrt(max(square - twice * twice / 4, 0.0))
        return complex(twice / 2, height), complex(twice / 2, -height)

    def _other_values(self, p_low: float, p_high: float) -> tuple[float, float]:
        """Product and sum of the two inner critical values of p, by Vieta from the outer two."""
        s, t = self.s, self.t
        square = s**4 / (t * t * p_low * p_high)
        if p_high * p_low <= square:
            twice = 2 * (1 + self.kappa0 - self.kappa0 * t) / (s * t) - p_low - p_high
        else:
            inverse = 2 * (self.kappa0 * t + self.one_minus_kappa0) / s**3
            twice = square * (inverse - 1 / p_low - 1 / p_high)
        return square, twice

    def value(self, g: complex) -> complex:
        """K(g)."""
        return 1 / g + self.t * g + self.kappa0 / (self.s - g)

    def _bend(self, p: float, edge: Edge) -> float:
        """N/M."""
        s, q = self.s, edge.p
        n = s**3 * (p + q + s) - self.one_minus_kappa0 * p * q
        return n / (p * q * (s + p) * (s + q))

    def offset(self, x: float, interval: Interval) -> tuple[Edge, float]:
        """The nearer edge and w = p - p_e, for x strictly inside the band."""
        s, t, rest = self.s, self.t, self.one_minus_kappa0
        lower, upper = interval.lower, interval.upper
        guess = self._real_root(x) - s
        width = interval.width
        near_top = upper.x - x < x - lower.x
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

    def root(self, x: float, interval: Interval) -> tuple[complex, float]:
        """The root g of K(g) = x with Im g < 0, and the real root, for x inside a band."""
        s = self.s
        edge, w = self.offset(x, interval)
        p = edge.p + w
        width = interval.width
        first, second = interval.others
        product = ((p - first) * (p - second)).real * abs(w) * (width - abs(w))
        height = s * math.sqrt(max(product, 0.0)) / (2 * p * (s + p))
        real = edge.g + w * self._bend(p, edge) / (2 * self.t)
        return complex(real, -height), s + p

    def points(
        self, w: FloatArray, from_top: bool, interval: Interval
    ) -> tuple[FloatArray, ComplexArray, FloatArray]:
        """x, g and dx/dp at w = p - p_e, measured from the upper or the lower edge."""
        s = self.s
        edge = interval.upper if from_top else interval.lower
        p = edge.p + w
        width = interval.width
        first, second = interval.others
        product = ((p - first) * (p - second)).real * np.abs(w) * (width - np.abs(w))
        height = s * np.sqrt(np.maximum(product, 0.0)) / (2 * p * (s + p))
        bend = (s**3 * (p + edge.p + s) - self.one_minus_kappa0 * p * edge.p) / (
            p * edge.p * (s + p) * (s + edge.p)
        )
        real = edge.g + w * bend / (2 * self.t)
        x = edge.x + w * (self.t + bend)
        slope = self.t * ((s + p - real) ** 2 + height**2) / ((s + p) * p)
        return x, real - 1j * height, slope
