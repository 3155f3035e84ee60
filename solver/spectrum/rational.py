"""The law of S0 + delta Z for a target whose R-transform is rational."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.model.errors import BadInput
from attlas.model.targets import Target
from attlas.solver.spectrum.bracketed_newton import bracketed_newton
from attlas.solver.spectrum.integrals import NOTHING, Integrals, assemble
from attlas.solver.spectrum.law import (
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

if TYPE_CHECKING:
    from attlas.symbolic.free_convolution import Law

#: Digits of the band edges, which may nearly coincide.
_DIGITS = 40
#: Relative rounding of a sum over nodes, in units of the sum of sizes.
_ROUNDING = 2e-14
#: Noise, over sqrt(Q0), at which a law is tried: every edge is that of S0 to this accuracy.
_TRIED = 1e-3
#: How far the mass may be from 1 where the R-transform is that of a law.
_NORMALISED = 1e-9
#: Distance from G at an edge, over that G, beyond which differences from it cancel.
_FAR = 0.3
_NO_LAW = "must be the R-transform of a law on x >= 0"


@dataclass(frozen=True)
class Edge:
    """One end of a band, and the curve about it: z - x = h^2 bend(h)/rest(h), h = g - g(edge).

    Attributes
    ----------
    x, g : mpf
    bend, rest : array
        Coefficients, the highest power first.
    """

    x: Any
    g: Any
    bend: FloatArray
    rest: FloatArray

    def roots(self, offset: FloatArray) -> ComplexArray:
        """G - G(edge) in the band at distances x - edge."""
        top = np.zeros(max(self.bend.size + 2, self.rest.size))
        top[top.size - self.bend.size - 2 : top.size - 2] = self.bend
        low = np.pad(self.rest, (top.size - self.rest.size, 0))
        h = _lowest(top[None, :] - offset[:, None] * low)
        for _ in range(4):
            bend, rest = np.polyval(self.bend, h), np.polyval(self.rest, h)
            slope = h * (2 * bend + h * np.polyval(np.polyder(self.bend), h))
            h = h - (h * h * bend - offset * rest) / (
                slope - offset * np.polyval(np.polyder(self.rest), h)
            )
        return h


def _lowest(coefficients: np.ndarray) -> ComplexArray:
    """The root furthest below the real axis of each polynomial, the highest power first."""
    monic = -coefficients[:, 1:] / coefficients[:, :1]
    size = monic.shape[1]
    companion = np.zeros((len(monic), size, size), dtype=complex)
    companion[:, 0, :] = monic
    companion[:, np.arange(1, size), np.arange(size - 1)] = 1.0
    roots = np.asarray(np.linalg.eigvals(companion), dtype=np.complex128)
    return roots[np.arange(len(monic)), roots.imag.argmin(axis=1)]


def rational_law(target: Target) -> TargetLaw:
    """The law of a target from its R-transform.

    Raises
    ------
    BadInput
        If there is none, it is not rational, or it is not that of a law on x >= 0.
    """
    from attlas.symbolic.free_convolution import law_of

    return _checked(law_of(target), target.singular)


@cache
def _checked(law_at_numbers: Law, singular: bool) -> RationalTargetLaw:
    law = RationalTargetLaw(law_at_numbers)
    noisy = law.noisy(_TRIED * math.sqrt(law.q0))
    mass = sum(noisy.masses)
    if (
        abs(mass - 1) > _NORMALISED
        or law.even != singular
        or (not singular and noisy.bands()[0].lower < -2.001 * noisy.delta)
    ):
        valid = "must be that of a law which is even in x" if singular else _NO_LAW
        raise BadInput(*law.named, valid)
    return law


class RationalTargetLaw(TargetLaw):
    """The law with a rational R-transform. theory.md section 5."""

    def __init__(self, law: Law) -> None:
        import sympy as sp

        from attlas.symbolic import notation as sym

        self.curve = law.curve
        r_transform = law.curve.base - 1 / sym.u
        self.named = f"target {law.curve.name}: R-transform", str(r_transform)
        variance = law.strength - law.mean**2
        if not (law.mean.is_finite and law.mean >= 0 and variance >= 0 and law.strength > 0):
            raise BadInput(*self.named, _NO_LAW)
        self.even = sp.simplify(r_transform + r_transform.subs(sym.u, -sym.u)) == 0
        self.mean, self.q0 = float(law.mean), float(law.strength)
        self.rank_fraction = float(law.rank)

    def noisy(self, delta: float) -> RationalLaw:
        return RationalLaw(self, delta)


class RationalLaw(NoisyLaw):
    """mu_delta of a rational R-transform, by quadrature of the curve. theory.md section 5.

    For laws that are infinitely divisible in the free sense G has one value in the lower half
    plane over each x, and every real g with z'(g) < 0 lies over a gap.

    Parameters
    ----------
    target : RationalTargetLaw
    delta : float
        Noise level, > 0.
    """

    def __init__(self, target: RationalTargetLaw, delta: float) -> None:
        if not 0 < delta < math.inf:
            raise BadInput("delta", delta, "must be positive and finite")
        self.delta, self.q0 = float(delta), target.q0
        self._curve = target.curve
        self._read()

    def _read(self) -> None:
        """The curve as polynomials, z = top/bottom, and its critical points."""
        from attlas.symbolic.arithmetic import Mpmath
        from attlas.symbolic.enclosure import all_roots

        numbers = Mpmath(_DIGITS)
        with numbers.precision():
            self._mp = numbers.context
            at_zero, at_one = (
                _coefficients(self._curve.parameter_polynomial(), numbers, self.delta, z)
                for z in (0, 1)
            )
            self._top = at_zero
            self._bottom = [zero - one for zero, one in zip(at_zero, at_one, strict=True)]
            edges = _coefficients(self._curve.edge_polynomial(), numbers, self.delta, 0)
            self._floats = tuple(np.array(one, dtype=float) for one in (self._top, self._bottom))
            tiny = self._mp.mpf(10) ** (-_DIGITS // 2)
            critical = all_roots(edges[::-1], numbers)
            real = sorted(u.real for u in critical if abs(u.imag) <= tiny * abs(u))
            self._critical = [self._position(u) for u in critical]
            poles = all_roots(_trimmed(self._bottom)[::-1], numbers)
            walls = sorted([*real, *(p.real for p in poles if abs(p.imag) <= tiny * (1 + abs(p)))])
            #: (g, g) of each gap, by increasing x; 0 stands for its infinite end.
            gaps = [(low, high) for low, high in pairwise(walls) if self._falls((low + high) / 2)]
            order = sorted(gaps, key=lambda pair: self._position((pair[0] + pair[1]) / 2))
            self._gaps = [pair for pair in order if self._bounded(pair, real)]
            self._edges = [
                (self._edge(one[0]), self._edge(two[1])) for one, two in pairwise(self._gaps)
            ]

    def _bounded(self, gap: tuple[Any, Any], critical: list[Any]) -> bool:
        """Whether a gap ends at edges, or at infinity where G = 0; no pole of R lies in one."""
        return all(end in critical or abs(end) < self._mp.mpf(10) ** -_DIGITS for end in gap)

    def _position(self, u: Any) -> Any:
        return self._mp.polyval(self._top, u) / self._mp.polyval(self._bottom, u)

    def _falls(self, u: Any) -> bool:
        top, slope = self._mp.polyval(self._top, u, derivative=True)
        bottom, other = self._mp.polyval(self._bottom, u, derivative=True)
        return slope * bottom < top * other

    def _edge(self, g: Any) -> Edge:
        x = self._position(g)
        shifted = [top - x * bottom for top, bottom in zip(self._top, self._bottom, strict=True)]
        bend = _shifted(shifted, g)[:-2]  # a double root: what is left there is rounding
        rest = _shifted(self._bottom, g)
        return Edge(x, g, np.array(bend, dtype=float), np.trim_zeros(np.array(rest, float), "f"))

    @property
    def top(self) -> float:
        return float(self._edges[-1][1].x)

    @cached_property
    def masses(self) -> tuple[float, ...]:
        """Of each band, by quadrature."""
        nodes = self.nodes()
        ends = [float(upper.x) for _, upper in self._edges]
        which = np.minimum(np.searchsorted(ends, nodes.x), len(ends) - 1)
        return tuple(float(nodes.w[which == k].sum()) for k in range(len(ends)))

    def bands(self) -> tuple[Band, ...]:
        """All bands, increasing.

        Raises
        ------
        ArithmeticError
            If their masses do not sum to 1.
        """
        total = math.fsum(self.masses)
        if abs(total - 1) > _NORMALISED:
            raise ArithmeticError(f"the law at delta = {self.delta:g} has mass {total:.12g}")
        return tuple(
            Band(float(lower.x), float(upper.x), mass / total)
            for (lower, upper), mass in zip(self._edges, self.masses, strict=True)
        )

    def truncated(self, epsilon: float) -> Truncated:
        """The integrals above epsilon, any real number.

        Raises
        ------
        BadInput
            If epsilon is not finite.
        """
        if not math.isfinite(epsilon):
            raise BadInput("epsilon", epsilon, "must be a finite number")
        above, below = NOTHING, NOTHING
        if epsilon < self._edges[-1][1].x:
            above = self._integrals(epsilon, math.inf, epsilon)
        if epsilon > self._edges[0][0].x:
            below = self._integrals(-math.inf, epsilon, 0.0)
        return assemble(epsilon, self.delta, self.q0, above, below, NOTHING)

    def both_sides(self, epsilon: float) -> Truncated:
        """The integrals of |x| above epsilon, of a law that is even."""
        above, within = NOTHING, NOTHING
        if epsilon < self._edges[-1][1].x:
            above = self._integrals(epsilon, math.inf, epsilon) * 2
        if epsilon > 0:
            within = self._integrals(-epsilon, epsilon, 0.0)
        return assemble(epsilon, self.delta, self.q0, above, within, NOTHING)

    def _integrals(self, start: float, stop: float, about: float) -> Integrals:
        """Over the part of the support within (start, stop), about a point."""
        total = np.zeros(8)
        for lower, upper in self._edges:
            if upper.x <= start or lower.x >= stop:
                continue
            below, above, w, g = self._pieces(lower, upper, start, stop, nodes_for(1e-14))
            near = below < above
            excess = np.where(near, below - float(about - lower.x), float(upper.x - about) - above)
            pull = 4 * self.delta * excess * g.real
            terms = np.stack((np.ones_like(w), excess, excess**2, pull))
            # angles next to the far end lose digits
            lost = 1 + math.pi / max(math.pi - self._angle(start, lower, upper), 1e-8) / 100
            total[:4] += terms @ w
            total[4:] += _ROUNDING * lost * (np.abs(terms) @ w)
        return Integrals(*map(float, total))

    def _pieces(
        self,
        lower: Edge,
        upper: Edge,
        start: float,
        stop: float,
        n: int,
        focus: float | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray, ComplexArray]:
        """Distances to both edges, weights and G."""
        width = upper.x - lower.x
        singular: list[complex] = []
        for place in self._critical:
            low, high = (complex(gap / width) for gap in (place - lower.x, upper.x - place))
            if min(abs(low), abs(high)) > 1e-25:
                singular += angle_singularities(low, high)
        if focus is not None and lower.x <= focus <= upper.x:
            singular.append(complex(self._angle(focus, lower, upper)))
        elif focus is not None:
            fraction = float((focus - lower.x) / width)
            singular += angle_singularities(fraction, 1 - fraction)
        ends = np.linspace(self._angle(start, lower, upper), self._angle(stop, lower, upper), 5)
        depth = DEPTH if focus is None else FOCUS_DEPTH
        pieces = [
            piece
            for a, b in pairwise(ends)
            for piece in panels(float(a), float(b), singular, depth)
        ]
        angle, weight = composite(pieces, n)
        extent = float(width)
        below, above = extent * np.sin(angle / 2) ** 2, extent * np.cos(angle / 2) ** 2
        near = below < above
        g = np.empty(angle.size, dtype=np.complex128)
        g[near], g[~near] = self._inside(lower, below[near]), self._inside(upper, -above[~near])
        return below, above, weight * extent * np.sin(angle) / 2 * -g.imag / math.pi, g

    def _inside(self, edge: Edge, offset: FloatArray) -> ComplexArray:
        """G in a band at distances x - edge; far from G at the edge by the curve itself."""
        h = edge.roots(offset)
        g = float(edge.g) + h
        far = np.abs(h) > _FAR * abs(float(edge.g))
        g[far] = self._polished(g[far], float(edge.x) + offset[far])
        return g

    def _polished(self, g: ComplexArray, z: np.ndarray) -> ComplexArray:
        """A root of z(g) = z by Newton's method."""
        top, bottom = self._floats
        for _ in range(3):
            slope = np.polyval(np.polyder(top), g) - z * np.polyval(np.polyder(bottom), g)
            g = g - (np.polyval(top, g) - z * np.polyval(bottom, g)) / slope
        return g

    def _angle(self, x: float, lower: Edge, upper: Edge) -> float:
        """theta with x = lower + width (1 - cos theta)/2, clipped to the band."""
        if x <= lower.x:
            return 0.0
        if x >= upper.x:
            return math.pi
        below, above = float(x - lower.x), float(upper.x - x)
        share = math.sqrt(min(below, above) / (below + above))
        return 2 * (math.asin(share) if below < above else math.acos(share))

    def nodes(self, lower: float = -math.inf, n: int | None = None, tol: float = 1e-14) -> Nodes:
        return self.graded_nodes(lower, math.inf, n or nodes_for(tol), None)

    def graded_nodes(self, start: float, stop: float, n: int, focus: float | None) -> Nodes:
        """Nodes on the support within (start, stop), refined towards ``focus``."""
        columns: list[tuple[FloatArray, ...]] = [(np.empty(0),) * 4]
        for lower, upper in self._edges:
            if upper.x > start and lower.x < stop:
                below, above, w, g = self._pieces(lower, upper, start, stop, n, focus)
                x = np.where(below < above, float(lower.x) + below, float(upper.x) - above)
                columns.append((x, w, -g.imag / math.pi, g.real))
        return Nodes(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def _scalar(self, x: float) -> complex:
        """G(x + i0)."""
        for lower, upper in self._edges:
            if lower.x < x < upper.x:
                near = lower if x - lower.x < upper.x - x else upper
                return complex(self._inside(near, np.array([float(x - near.x)]))[0])
        beneath = sum(upper.x <= x for _, upper in self._edges)
        low, high = (float(end) for end in self._gaps[beneath])
        if beneath == 0:
            high = 1 / (x - self.top)
        elif beneath == len(self._edges):
            low = 1 / (x - float(self._edges[0][0].x))
        top, bottom = self._floats

        def excess(g: float) -> tuple[float, float]:
            over, under = np.polyval(top, g), np.polyval(bottom, g)
            slope = np.polyval(np.polyder(top), g) * under - over * np.polyval(
                np.polyder(bottom), g
            )
            return float(over / under) - x, float(slope / under**2)

        if low >= high:
            return complex(low)
        return complex(bracketed_newton(excess, low, high, (low + high) / 2))

    def _boundary_values(self, x: FloatArray) -> ComplexArray:
        return np.array([self._scalar(float(point)) for point in x], dtype=complex)

    def _above(self, z: ComplexArray) -> ComplexArray:
        top, bottom = self._floats
        return self._polished(_lowest(top - z[:, None] * bottom), z)


def _coefficients(polynomial: Any, numbers: Any, delta: float, z: float) -> list[Any]:
    """Of a polynomial of the curve, the highest power first."""
    from attlas.symbolic.evaluate import Evaluator

    evaluator = Evaluator(numbers, {"delta": numbers.read(delta), "z": numbers.read(z)})
    return [evaluator(one) for one in polynomial.all_coeffs()]


def _trimmed(coefficients: list[Any]) -> list[Any]:
    first = next(k for k, one in enumerate(coefficients) if one)
    return coefficients[first:]


def _shifted(coefficients: list[Any], at: Any) -> list[Any]:
    """Of the polynomial about a point, by repeated synthetic division."""
    remaining, found = list(coefficients), []
    while remaining:
        for k in range(1, len(remaining)):
            remaining[k] += at * remaining[k - 1]
        found.append(remaining.pop())
    return found[::-1]
