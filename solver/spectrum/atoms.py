"""The law of S0 + delta Z for a target given by its eigenvalues."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct

from attlas.model.errors import BadInput
from attlas.solver.spectrum.atoms_curve import AtomsCurve, Cluster
from attlas.solver.spectrum.atoms_path import along_path, crossing
from attlas.solver.spectrum.atoms_poles import SCALARS, Poles
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
    FOCUS_DEPTH,
    angle_singularities,
    composite,
    legendre,
    panels,
)

DEPTH = 45
WHOLE = (8, 16, 32, 64, 96)
WIDE = 4
TINY = 1e-300


class AtomsTargetLaw(TargetLaw):
    """The empirical law of d eigenvalues.

    Parameters
    ----------
    eigenvalues : array_like, shape (d,)
        Any finite numbers, repeated ones welcome; d up to a few thousand. Scaled so that
        Tr S0^2/d is of order one.

    Raises
    ------
    BadInput
        If there is no eigenvalue, or one is not finite.
    """

    def __init__(self, eigenvalues: ArrayLike) -> None:
        values = np.asarray(eigenvalues, dtype=float).ravel()
        if values.size == 0 or not np.all(np.isfinite(values)):
            raise BadInput("eigenvalues", "an empty or infinite list", "must be finite numbers")
        self._poles = Poles(values)
        self.q0 = self._poles.q0
        self.mean = self._poles.mean
        self.rank_fraction = self._poles.rank_fraction
        self.even = bool(np.array_equal(np.sort(values), np.sort(-values)))

    def noisy(self, delta: float) -> AtomsLaw:
        return AtomsLaw(self._poles, delta)


class AtomsLaw(NoisyLaw):
    """mu_delta for given eigenvalues, by subordination. theory.md sections 5 and 16.

    Parameters
    ----------
    poles : Poles
        Distinct eigenvalues and weights.
    delta : float
        Noise level, > 0.
    """

    def __init__(self, poles: Poles, delta: float) -> None:
        if not 0 < delta < math.inf:
            raise BadInput("delta", delta, "must be positive and finite")
        self.delta = float(delta)
        self.poles = poles
        self.curve = AtomsCurve(poles, self.delta)

    @property
    def top(self) -> float:
        return self.curve.near(math.inf).upper

    def bands(self) -> tuple[Band, ...]:
        weights = np.concatenate(([0.0], np.cumsum(self.poles.w)))
        return tuple(
            Band(c.lower, c.upper, float(weights[c.stop] - weights[c.start]))
            for c in self.curve.clusters()
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
        split, part = self._crossed(epsilon)
        poles, t = self.poles, self.curve.t
        above, below = poles.above(split, t, epsilon), poles.below(split, t, 0.0)
        return assemble(epsilon, self.delta, poles.q0, above, below, part)

    def both_sides(self, epsilon: float) -> Truncated:
        """The integrals of |x| above epsilon, of a law that is even."""
        split, part = self._crossed(epsilon)
        poles, t = self.poles, self.curve.t
        above = poles.above(split, t, epsilon) * 2
        within = poles.within(split, t)
        return assemble(epsilon, self.delta, poles.q0, above, within, part * 2)

    def _crossed(self, epsilon: float) -> tuple[int, Integrals]:
        """The poles below the end of the path from epsilon, and the integrals along it."""
        poles = self.poles
        cluster = self.curve.near(epsilon)
        part = NOTHING
        if epsilon <= cluster.lower:
            split = cluster.start
        elif epsilon >= cluster.upper:
            split = cluster.stop
        else:
            zeta = self.curve.zeta(epsilon, cluster)
            end, split = crossing(poles, cluster.anchor, zeta)
            part = along_path(poles, self.delta, cluster.anchor, epsilon, zeta, end)
        return split, part

    @cached_property
    def _table(self) -> tuple[FloatArray, ComplexArray]:
        """x and zeta along every band, to start Newton's method from."""
        clusters = self.curve.clusters()
        counts = [16 + 8 * min(c.stop - c.start, 64) for c in clusters]
        angle = np.concatenate([np.linspace(0, np.pi, count + 2)[1:-1] for count in counts])
        owners = [c for c, count in zip(clusters, counts, strict=True) for _ in range(count)]
        points = self.curve.point(owners, angle)
        return points.x, points.zeta

    def _boundary_values(self, x: FloatArray) -> ComplexArray:
        out = np.empty(x.size, dtype=complex)
        clusters = self.curve.clusters()
        lowers = np.array([c.lower for c in clusters])
        uppers = np.array([c.upper for c in clusters])
        which = np.searchsorted(lowers, x, side="right") - 1
        inside = (which >= 0) & (x > lowers[which]) & (x < uppers[which])
        out[inside] = self._inside(x[inside], [clusters[i] for i in which[inside]])
        for i in np.flatnonzero(~inside):
            out[i] = self._outside(float(x[i]))
        return out

    def _inside(self, x: FloatArray, clusters: list[Cluster]) -> ComplexArray:
        """G in the bands: Newton's method from the table, or else a search along the curve."""
        poles, t = self.poles, self.curve.t
        table_x, table_zeta = self._table
        u = np.interp(x, table_x, table_zeta.real)
        v = np.interp(x, table_x, table_zeta.imag)
        g = np.empty(x.size, dtype=np.complex128)
        rows = max(1, SCALARS // poles.s.size)
        for first in range(0, x.size, rows):
            part = slice(first, first + rows)
            nearest = np.abs(np.subtract.outer(u[part], poles.s)).argmin(axis=1)
            anchor = poles.s[nearest]
            apart = np.subtract.outer(anchor, poles.s)
            target, start = x[part] - anchor, (u[part] - anchor) + 1j * v[part]
            zeta = start
            change = np.full(target.size, np.inf)
            for _ in range(8):
                inverse = 1 / (apart + zeta[:, None])
                step = (zeta + t * (inverse @ poles.w) - target) / (
                    1 - t * ((inverse * inverse) @ poles.w)
                )
                zeta = zeta - step
                change = np.abs(step)
            settled = (zeta.imag > 0) & (change <= 1e-11 * np.abs(zeta.imag))
            close = np.abs(zeta - start) <= 0.5 * start.imag
            g[part] = np.where(settled & close, (target - zeta) / t, np.nan)
        for i in np.flatnonzero(np.isnan(g)):
            cluster = clusters[i]
            g[i] = ((x[i] - cluster.anchor) - self.curve.zeta(float(x[i]), cluster)) / t
        return g

    def _outside(self, x: float) -> complex:
        """Real G in a gap: (x - u)/t with u + t G0(u) = x, increasing between the edges."""
        poles, t = self.poles, self.curve.t
        cluster = self.curve.near(x)
        s = poles.s - cluster.anchor
        target = x - cluster.anchor
        beneath = x <= cluster.lower
        if x in (cluster.lower, cluster.upper):
            return complex((target - (cluster.low if beneath else cluster.high)) / t)
        index = cluster.start if beneath else cluster.stop
        # beyond all poles u = x itself is the other end of the bracket
        middle = target
        if 0 < index < s.size:
            middle = float(s[index - 1] + poles.offset[index - 1])
        low, high = (middle, cluster.low) if beneath else (cluster.high, middle)

        def excess(u: float) -> tuple[float, float]:
            inverse = 1 / (u - s)
            return u + t * float(inverse @ poles.w) - target, 1 - t * float(
                (inverse * inverse) @ poles.w
            )

        u = bracketed_newton(excess, low, high, (low + high) / 2)
        return complex(float((1 / (u - s)) @ poles.w))

    def _above(self, z: ComplexArray) -> ComplexArray:
        inverse = np.asarray(1 / np.subtract.outer(self._subordinate(z), self.poles.s), complex)
        return inverse @ self.poles.w.astype(complex)

    def _subordinate(self, z: ComplexArray) -> ComplexArray:
        """zeta with zeta + t G0(zeta) = z and Im zeta >= Im z: averaged iteration, then Newton."""
        poles, t = self.poles, self.curve.t
        zeta = z + 1j * self.delta
        accepted = np.zeros(z.size, dtype=bool)
        found = zeta.copy()
        for _ in range(400):
            for _ in range(10):
                pull = t * ((1 / (zeta[:, None] - poles.s)) @ poles.w)
                zeta = (zeta + z - pull) / 2
            trial = zeta.copy()
            change = np.full(z.size, np.inf)
            for _ in range(6):
                inverse = 1 / (trial[:, None] - poles.s)
                step = (trial + t * (inverse @ poles.w) - z) / (
                    1 - t * ((inverse * inverse) @ poles.w)
                )
                trial = trial - step
                change = np.abs(step)
            fresh = ~accepted & (trial.imag >= z.imag) & (change <= 1e-12 * np.abs(trial))
            found[fresh] = trial[fresh]
            accepted |= fresh
            if accepted.all():
                return found
        raise BadInput(
            "z", complex(z[~accepted][0]), "must lie off the real axis", "use density and hilbert"
        )

    def nodes(self, lower: float = -math.inf, n: int | None = None, tol: float = 1e-14) -> Nodes:
        """Quadrature nodes on the support above ``lower``.

        Parameters
        ----------
        lower : float
            Where the integral starts.
        n : int, optional
            Gauss-Legendre nodes per panel; 24 when absent. Panels are halved until the Legendre
            coefficients of the density on them fall below ``tol``.
        tol : float
            Relative accuracy for smooth functions of x.
        """
        return self._nodes(lower, math.inf, n or 24, None, tol)

    def graded_nodes(self, start: float, stop: float, n: int, focus: float | None) -> Nodes:
        """Nodes on the support within (start, stop), refined towards ``focus``."""
        return self._nodes(start, stop, n, focus, 1e-10)

    def _nodes(self, start: float, stop: float, n: int, focus: float | None, tol: float) -> Nodes:
        pieces: list[FloatArray] = []
        whole: list[list[Cluster]] = [[] for _ in WHOLE]
        for cluster in self.curve.clusters():
            if cluster.upper <= start or cluster.lower >= stop:
                continue
            cut = start > cluster.lower or stop < cluster.upper
            level = self._least_level(cluster, focus, tol)
            if cut or level == len(WHOLE):
                pieces.append(self._band_nodes(cluster, start, stop, n, focus, tol))
            else:
                whole[level].append(cluster)
        waiting: list[Cluster] = []
        for count, new in zip(WHOLE, whole, strict=True):
            waiting += new
            if waiting:
                table, waiting = self._whole_bands(waiting, count, tol)
                pieces.append(table)
        pieces += [self._band_nodes(cluster, start, stop, n, focus, tol) for cluster in waiting]
        table = np.concatenate([np.empty((4, 0)), *pieces], axis=1)
        return Nodes(*table[:, table[0].argsort()])

    def _least_level(self, cluster: Cluster, focus: float | None, tol: float) -> int:
        """Which entry of WHOLE integrates over a whole band what is smooth on the scale of all.

        The trapezoidal rule with N steps errs by exp(-2 N Im theta) for a singularity at theta:
        taken at the focus, and at a quarter of the support's extent off the band.
        """
        width = cluster.upper - cluster.lower
        extent = max(self.top - self.curve.near(-math.inf).lower, width)
        singular = [0.5 + 0.25j * extent / width]
        if focus is not None:
            singular.append((focus - cluster.lower) / width)
        heights = [abs(angle_singularities(x, 1 - x)[0].imag) for x in singular]
        steps = math.log(1 / tol) / (2 * max(min(heights), TINY)) + 3
        return int(np.searchsorted(WHOLE, steps))

    def _whole_bands(
        self, clusters: list[Cluster], count: int, tol: float
    ) -> tuple[FloatArray, list[Cluster]]:
        """Nodes of the trapezoidal rule in the angle for the bands it resolves, and the others.

        A band is resolved when the cosine coefficients of its weight have died out.
        """
        grid = np.asarray(np.arange(1, count) * (np.pi / count), dtype=np.float64)
        points = self.curve.point(
            [c for c in clusters for _ in grid],
            np.asarray([grid] * len(clusters), dtype=np.float64).ravel(),
        )
        weight = (points.rho * points.slope).reshape(-1, count - 1)
        padded = np.pad(weight, ((0, 0), (1, 1)))
        coefficients = np.abs(np.asarray(dct(padded, type=1, axis=1))) / count
        masses = np.array([self.poles.w[c.start : c.stop].sum() for c in clusters])
        keep = coefficients[:, -count // 4 :].max(axis=1) <= tol * masses
        table = np.stack((points.x, weight.ravel() * (np.pi / count), points.rho, points.hilbert))
        table = table.reshape(4, -1, count - 1)[:, keep].reshape(4, -1)
        return table, [c for c, kept in zip(clusters, keep, strict=True) if not kept]

    def _band_nodes(
        self,
        cluster: Cluster,
        start: float,
        stop: float,
        n: int,
        focus: float | None,
        tol: float,
    ) -> FloatArray:
        low, high = self._angle(start, cluster), self._angle(stop, cluster)
        cuts = max(WIDE, (cluster.stop - cluster.start) // n)
        ends = np.linspace(low, high, cuts + 1)
        singular = [] if focus is None else self._focus(focus, cluster)
        waiting = [
            piece
            for a, b in pairwise(ends)
            for piece in panels(float(a), float(b), singular, FOCUS_DEPTH)
        ]
        y, _ = legendre(n)
        # the last coefficients of the Legendre expansion of the weight on a panel
        degrees = np.arange(n - 4, n)
        tail = (
            (2 * degrees[:, None] + 1)
            / 2
            * np.array([np.polynomial.legendre.legval(y, np.eye(n)[k]) for k in degrees])
            * legendre(n)[1]
        )
        scale = tol * sum(self.poles.w[cluster.start : cluster.stop])
        done: list[FloatArray] = []
        for depth in range(DEPTH):
            angle, weight = composite(waiting, n)
            points = self.curve.point([cluster] * angle.size, angle)
            values = points.rho * points.slope
            table = values.reshape(-1, n)
            half = np.array([(b - a) / 2 for a, b in waiting])
            left = np.abs(table @ tail.T).max(axis=1) * half
            keep = (left <= scale) | (depth == DEPTH - 1)
            rows = np.stack((points.x, values * weight, points.rho, points.hilbert))
            rows = rows.reshape(4, -1, n)
            done += [rows[:, i] for i in np.flatnonzero(keep)]
            waiting = [
                half_piece for i in np.flatnonzero(~keep) for half_piece in _halves(*waiting[i])
            ]
            if not waiting:
                break
        return np.concatenate(done, axis=1)

    def _focus(self, focus: float, cluster: Cluster) -> tuple[complex, ...]:
        """Where the focus lies in the angle: on the curve, or off it for a focus elsewhere."""
        if cluster.lower <= focus <= cluster.upper:
            return (complex(self._angle(focus, cluster)),)
        fraction = (focus - cluster.lower) / (cluster.upper - cluster.lower)
        return angle_singularities(fraction, 1 - fraction)

    def _angle(self, x: float, cluster: Cluster) -> float:
        """The angle of x on the curve, clipped to the band."""
        if x <= cluster.lower:
            return 0.0
        if x >= cluster.upper:
            return math.pi
        u = self.curve.zeta(x, cluster).real
        width = cluster.high - cluster.low
        below, above = max(u - cluster.low, 0.0), max(cluster.high - u, 0.0)
        if below < above:
            return 2 * math.asin(min(math.sqrt(below / width), 1.0))
        return 2 * math.acos(min(math.sqrt(above / width), 1.0))


def _halves(a: float, b: float) -> tuple[tuple[float, float], tuple[float, float]]:
    middle = (a + b) / 2
    return (a, middle), (middle, b)
