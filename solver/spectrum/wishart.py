"""The law of S0 + delta Z for the Wishart target, in closed form."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from attlas.model.errors import BadInput
from attlas.solver.spectrum.bracketed_newton import bracketed_newton
from attlas.solver.spectrum.integrals import NOTHING, Integrals, accurate, assemble, sharpest
from attlas.solver.spectrum.law import (
    UNIT,
    Band,
    ComplexArray,
    FloatArray,
    Nodes,
    NoisyLaw,
    TargetLaw,
    Truncated,
)
from attlas.solver.spectrum.panels import (
    DEPTH,
    FOCUS_DEPTH,
    angle_singularities,
    composite,
    nodes_for,
    panels,
)
from attlas.solver.spectrum.wishart_curve import Edge, Interval, WishartCurve
from attlas.solver.spectrum.wishart_integrals import (
    BOTTOM,
    GAP,
    TOP,
    along_path,
    exact,
    exact_lower_band,
    primitive,
)

RELATIVE_GOAL = 1e-12


class WishartTargetLaw(TargetLaw):
    """The Marchenko-Pastur law of S0 = W0 W0^T/sqrt(p0 d). theory.md section 1.

    Parameters
    ----------
    kappa0 : Fraction or float
        Rank ratio p0/d, > 0; accuracy is tested for 1e-4 <= kappa0 <= 10.
    """

    def __init__(self, kappa0: Fraction | float) -> None:
        self.kappa0 = kappa0
        self.q0 = float(1 + kappa0)
        self.mean = math.sqrt(kappa0)
        self.rank_fraction = min(float(kappa0), 1.0)

    def noisy(self, delta: float) -> WishartLaw:
        return WishartLaw(self.kappa0, delta)


class WishartLaw(NoisyLaw):
    """mu_delta for the Wishart target. theory.md sections 5 and 9.

    Parameters
    ----------
    kappa0 : Fraction or float
        Rank ratio p0/d, > 0.
    delta : float
        Noise level, > 0; accuracy is tested for 1e-6 <= delta <= 10.
    """

    def __init__(self, kappa0: Fraction | float, delta: float) -> None:
        if not 0 < delta < math.inf:
            raise BadInput("delta", delta, "must be positive and finite")
        self.kappa0 = float(kappa0)
        self.delta = float(delta)
        self.q0 = float(1 + kappa0)
        self.curve = WishartCurve(self.kappa0, self.delta, float(1 - kappa0))

    @property
    def top(self) -> float:
        return self.curve.intervals[-1].upper.x

    def bands(self) -> tuple[Band, ...]:
        intervals = self.curve.intervals
        masses = (1.0,) if len(intervals) == 1 else (self.curve.one_minus_kappa0, self.kappa0)
        return tuple(
            Band(interval.lower.x, interval.upper.x, mass)
            for interval, mass in zip(intervals, masses, strict=True)
        )

    def _interval_of(self, x: float) -> Interval | None:
        for interval in self.curve.intervals:
            if interval.lower.x < x < interval.upper.x:
                return interval
        return None

    def truncated(self, epsilon: float) -> Truncated:
        """The integrals above epsilon, any real number.

        Raises
        ------
        BadInput
            If epsilon is not finite.
        """
        if not math.isfinite(epsilon):
            raise BadInput("epsilon", epsilon, "must be a finite number")
        interval = self._interval_of(epsilon)
        if interval is not None:
            return self._inside(epsilon, interval)
        if epsilon >= self.top:
            return self._assemble(epsilon, TOP, NOTHING)
        end = BOTTOM if epsilon <= self.curve.intervals[0].lower.x else GAP
        return self._assemble(epsilon, end, NOTHING)

    def _inside(self, epsilon: float, interval: Interval) -> Truncated:
        """By the primitive; where that cancels, along paths to the nearer or the other edge."""
        curve = self.curve
        g, real_root, root_error = curve.root(epsilon, interval)
        ends = self._ends(g, interval)
        result = self._assemble(epsilon, ends[0][1], primitive(curve, epsilon, g, ends[0][1]))
        for edge, end in ends:
            if accurate(result, RELATIVE_GOAL):
                break
            path = along_path(curve, g, real_root, edge.g)
            # the edge itself is known to a few units in the last place only
            x_error = 16 * UNIT * (abs(edge.x) + curve.delta)
            part = _widened(path, x_error, root_error, g, curve.delta)
            result = sharpest(result, self._assemble(epsilon, end, part))
            resolved = path.second_error <= RELATIVE_GOAL * abs(path.second)
            if resolved and path.mass_error <= RELATIVE_GOAL * abs(path.mass):
                break
        return result

    def _ends(self, g: complex, interval: Interval) -> list[tuple[Edge, int]]:
        """The two edges of the band as ends of a path, the nearer on the scale of poles first."""
        intervals, s = self.curve.intervals, self.curve.s
        low = (interval.lower, BOTTOM if interval is intervals[0] else GAP)
        high = (interval.upper, TOP if interval is intervals[-1] else GAP)
        return sorted(
            (low, high), key=lambda e: abs(g - e[0].g) / min(abs(e[0].g), abs(e[0].g - s))
        )

    def _assemble(self, epsilon: float, end: int, part: Integrals) -> Truncated:
        curve = self.curve
        if end == TOP:
            below = exact(curve, 0.0, BOTTOM)
        else:
            below = exact_lower_band(curve, 0.0) if end == GAP else NOTHING
        return assemble(epsilon, self.delta, self.q0, exact(curve, epsilon, end), below, part)

    def _scalar(self, x: float) -> complex:
        """G(x + i0)."""
        curve = self.curve
        interval = self._interval_of(x)
        if interval is not None:
            return curve.root(x, interval)[0]
        first, last = curve.intervals[0], curve.intervals[-1]
        for edge in (first.lower, first.upper, last.lower, last.upper):
            if x == edge.x:
                return complex(edge.g)
        if x > last.upper.x:
            low, high = 1 / (x - first.lower.x), last.upper.g
        elif x < first.lower.x:
            low, high = first.lower.g, 1 / (x - last.upper.x)
        else:
            low, high = last.lower.g, first.upper.g

        def excess(g: float) -> tuple[float, float]:
            h = curve.s - g
            return 1 / g + curve.t * g + self.kappa0 / h - x, (
                curve.t - 1 / g**2 + self.kappa0 / h**2
            )

        return complex(bracketed_newton(excess, low, high, (low + high) / 2))

    def _boundary_values(self, x: FloatArray) -> ComplexArray:
        return np.array([self._scalar(float(point)) for point in x], dtype=complex)

    def _above(self, z: ComplexArray) -> ComplexArray:
        curve = self.curve
        companion = np.zeros((z.size, 3, 3), dtype=complex)
        companion[:, 0, 0] = (curve.s * curve.t + z) / curve.t
        companion[:, 0, 1] = -(curve.s * z + curve.one_minus_kappa0) / curve.t
        companion[:, 0, 2] = curve.s / curve.t
        companion[:, 1, 0] = companion[:, 2, 1] = 1.0
        roots = np.asarray(np.linalg.eigvals(companion), dtype=np.complex128)
        g: ComplexArray = roots[np.arange(z.size), roots.imag.argmin(axis=1)]
        for _ in range(3):
            h = curve.s - g
            value = 1 / g + curve.t * g + self.kappa0 / h - z
            g = g - value / (curve.t - 1 / g**2 + self.kappa0 / h**2)
        return g

    def nodes(self, lower: float = -math.inf, n: int | None = None, tol: float = 1e-14) -> Nodes:
        return self.graded_nodes(lower, math.inf, n or nodes_for(tol), None)

    def graded_nodes(self, start: float, stop: float, n: int, focus: float | None) -> Nodes:
        """Nodes on the support within (start, stop), refined towards ``focus``."""
        pieces = [
            self._band_nodes(interval, start, stop, n, focus)
            for interval in self.curve.intervals
            if interval.upper.x > start and interval.lower.x < stop
        ]
        if not pieces:
            empty = np.empty(0)
            return Nodes(empty, empty, empty, empty)
        return Nodes(*(np.concatenate(column) for column in zip(*pieces, strict=True)))

    def _band_nodes(
        self, interval: Interval, start: float, stop: float, n: int, focus: float | None
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        curve, width = self.curve, interval.width
        singular: list[complex] = []
        for p in (0.0, -curve.s, *interval.others):
            fraction, complement = (p - interval.lower.p) / width, (interval.upper.p - p) / width
            singular += angle_singularities(fraction, complement)
        low = self._angle(start, interval)
        high = self._angle(stop, interval)
        if focus is not None and interval.lower.x <= focus <= interval.upper.x:
            singular.append(complex(self._angle(focus, interval)))
        elif focus is not None:
            fraction = (focus - interval.lower.x) / (interval.upper.x - interval.lower.x)
            singular += angle_singularities(fraction, 1 - fraction)
        # four pieces of a wide band also resolve a smooth integrand of its own
        extent = self.top - curve.intervals[0].lower.x
        cuts = 4 if interval.upper.x - interval.lower.x > 0.1 * extent else 1
        ends = np.linspace(low, high, cuts + 1)
        depth = DEPTH if focus is None else FOCUS_DEPTH
        pieces = [piece for a, b in pairwise(ends) for piece in panels(a, b, singular, depth)]
        angle, weight = composite(pieces, n)
        below = width * np.sin(angle / 2) ** 2
        above = width * np.cos(angle / 2) ** 2
        x, g, slope = curve.points(below, above, interval)
        rho = -g.imag / math.pi
        step = weight * width * np.sin(angle) / 2
        return x, rho * slope * step, rho, g.real

    def _angle(self, x: float, interval: Interval) -> float:
        """theta with p = p_low + width (1 - cos theta)/2 at x, clipped to the band."""
        if x <= interval.lower.x:
            return 0.0
        if x >= interval.upper.x:
            return math.pi
        edge, w = self.curve.offset(x, interval)
        fraction = min(math.sqrt(abs(w) / interval.width), 1.0)
        return 2 * (math.asin(fraction) if edge is interval.lower else math.acos(fraction))


def _widened(
    part: Integrals, x_error: float, root_error: float, g: complex, delta: float
) -> Integrals:
    """Error bars widened by errors of epsilon against the edge, and of the imaginary part of g.

    Along the path the integrals scale at most as the 3rd, 5th and 7th power of Im g.
    """
    return Integrals(
        part.mass,
        part.first,
        part.second,
        part.j1,
        part.mass_error + x_error * abs(g.imag) + 4 * root_error * abs(part.mass),
        part.first_error + x_error * abs(part.mass) + 6 * root_error * abs(part.first),
        part.second_error + 2 * x_error * abs(part.first) + 8 * root_error * abs(part.second),
        part.j1_error
        + 4 * delta * x_error * abs(g) * abs(part.mass)
        + 6 * root_error * abs(part.j1),
    )
