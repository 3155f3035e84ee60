"""The curve zeta = u + i v(u) of the noisy law of given eigenvalues, and its edges.

For x inside the support, G(x) = G0(zeta) with zeta = x - t G(x), t = delta^2, and v(u) solves
t sum_i w_i/((u - s_i)^2 + v^2) = 1 (theory.md section 16). Positions are kept relative to an
eigenvalue, so that a band of width 1e-6 keeps its digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attlas.solver.spectrum.atoms_poles import SCALARS, Poles
from attlas.solver.spectrum.law import ComplexArray, FloatArray, IndexArray

GRID = 14
ROUNDS = 40
NEWTON = 12


@dataclass(frozen=True)
class Cluster:
    """A band: the poles [start, stop) it grows out of, its edges in u and in x.

    ``low`` and ``high`` are edges in u relative to the anchor s[start].
    """

    start: int
    stop: int
    anchor: float
    low: float
    high: float
    lower: float
    upper: float


@dataclass(frozen=True)
class CurvePoints:
    """x, density, Re G, dx/d(angle) and zeta at points of the curve."""

    x: FloatArray
    rho: FloatArray
    hilbert: FloatArray
    slope: FloatArray
    zeta: ComplexArray


class AtomsCurve:
    """Clusters, edges and points of the curve, for one set of poles and one delta.

    Parameters
    ----------
    poles : Poles
    delta : float
        Noise level, > 0.
    """

    def __init__(self, poles: Poles, delta: float) -> None:
        self.poles = poles
        self.delta = float(delta)
        self.t = self.delta**2
        count = poles.s.size
        self.open = np.flatnonzero(self.t * poles.curvature < 1)
        self.starts = np.concatenate(([0], self.open + 1))
        self.stops = np.concatenate((self.open + 1, [count]))
        # one point of each gap of the support: x(u) at the minimum between two clusters
        self.inner = (
            poles.s[self.open] + poles.offset[self.open] + self.t * poles.transform[self.open]
        )
        self._clusters: dict[int, Cluster] = {}

    def clusters(self) -> list[Cluster]:
        """All bands, increasing."""
        missing = [i for i in range(self.starts.size) if i not in self._clusters]
        self._compute(missing)
        return [self._clusters[i] for i in range(self.starts.size)]

    def near(self, x: float) -> Cluster:
        """The band that holds x, or one of the two next to its gap."""
        index = int(np.searchsorted(self.inner, x))
        if index not in self._clusters:
            self._compute([index])
        return self._clusters[index]

    def _compute(self, which: list[int]) -> None:
        if not which:
            return
        s = self.poles.s
        starts, stops = self.starts[which], self.stops[which]
        low, lower = self._edges(starts, -1.0)
        high, upper = self._edges(stops - 1, 1.0)
        high = (s[stops - 1] - s[starts]) + high
        for i, index in enumerate(which):
            start = int(starts[i])
            self._clusters[index] = Cluster(
                start,
                int(stops[i]),
                float(s[start]),
                float(low[i]),
                float(high[i]),
                float(lower[i]),
                float(upper[i]),
            )

    def _edges(self, anchors: IndexArray, side: float) -> tuple[FloatArray, FloatArray]:
        """Outer edges of clusters: u - s[anchor], and x.

        (sum w/(u - s)^2)^(-1/2) is concave between poles, so that Newton's method for its
        crossing of delta, started next to the pole, cannot overshoot.
        """
        poles, delta = self.poles, self.delta
        tau, x = np.empty(anchors.size), np.empty(anchors.size)
        rows = max(1, SCALARS // poles.s.size)
        for first in range(0, anchors.size, rows):
            part = slice(first, first + rows)
            chosen = anchors[part]
            apart = poles.s[chosen][:, None] - poles.s
            shift = side * delta * np.sqrt(poles.w[chosen])
            inverse = 1 / (apart + shift[:, None])
            for _ in range(200):
                square = inverse * inverse
                sum2, sum3 = square @ poles.w, (square * inverse) @ poles.w
                root = np.sqrt(sum2)
                step = (delta - 1 / root) * root * sum2 / np.abs(sum3)
                step = np.maximum(step, 0.0)
                shift = shift + side * step
                inverse = 1 / (apart + shift[:, None])
                if np.all(step <= 1e-15 * np.abs(shift)):
                    break
            tau[part] = shift
            x[part] = poles.s[chosen] + (shift + self.t * (inverse @ poles.w))
        return tau, x

    def height(self, anchor: float | FloatArray, tau: FloatArray) -> FloatArray:
        """v(u) at u = anchor + tau, inside clusters; one anchor, or one for each tau.

        1/sum w/((u - s)^2 + V) is concave in V = v^2; Newton from V = t falls below the root once
        and then rises to it.
        """
        poles, t = self.poles, self.t
        square = (np.subtract.outer(anchor, poles.s) + tau[:, None]) ** 2
        v = np.full(tau.size, t)
        active, rose = np.arange(tau.size), np.zeros(tau.size, dtype=bool)
        for _ in range(80):
            inverse = 1 / (square + v[active, None])
            total = inverse @ poles.w
            step = (t - 1 / total) * total * total / ((inverse * inverse) @ poles.w)
            v[active] = np.maximum(v[active] + step, 1e-3 * v[active])
            # once rising, the iterates turn back only by rounding
            going = (np.abs(step) > 4e-16 * v[active]) & ((step > 0) | ~rose)
            active, square, rose = active[going], square[going], (rose | (step > 0))[going]
            if active.size == 0:
                break
        return np.sqrt(v)

    def zeta(self, x: float, cluster: Cluster) -> complex:
        """zeta - anchor at x strictly inside the band of the cluster.

        The curve is cut finer and finer around x (which increases with u) until Newton's method
        in the complex plane converges from the cut.
        """
        target = x - cluster.anchor
        width = cluster.high - cluster.low
        low, high = 0.0, np.pi
        for _ in range(ROUNDS):
            angle = np.linspace(low, high, GRID)
            tau = cluster.low + width * np.sin(angle / 2) ** 2
            v = self.height(cluster.anchor, tau)
            inverse = 1 / ((cluster.anchor - self.poles.s) + (tau + 1j * v)[:, None])
            place = tau + self.t * (inverse @ self.poles.w).real
            right = int(np.clip(np.searchsorted(place, target), 1, GRID - 1))
            left = right - 1
            gap = place[right] - place[left]
            share = (target - place[left]) / gap if gap > 0 else 0.5
            share = min(max(share, 0.0), 1.0)
            guess = complex(
                tau[left] + share * (tau[right] - tau[left]), v[left] + share * (v[right] - v[left])
            )
            found = self._newton(guess, target, cluster)
            if found is not None:
                return found
            low, high = float(angle[left]), float(angle[right])
        return guess

    def _newton(self, zeta: complex, target: float, cluster: Cluster) -> complex | None:
        apart = cluster.anchor - self.poles.s
        start = zeta
        if start.imag <= 0:
            return None
        last = np.inf
        for _ in range(NEWTON):
            inverse = 1 / (apart + zeta)
            excess = zeta + self.t * (inverse @ self.poles.w) - target
            weight = (inverse * inverse) @ self.poles.w
            step = excess / (1 - self.t * weight)
            size = abs(step)
            if not size <= 0.5 * last:
                # at the level of rounding errors the steps stop shrinking
                return zeta if last <= 1e-10 * abs(zeta.imag) else None
            new = zeta - complex(step)
            if new.imag <= 0:
                return None
            zeta, last = new, size
            if size <= 1e-16 * zeta.imag:
                break
        settled = last <= 1e-10 * zeta.imag
        return zeta if settled and abs(zeta - start) <= 2 * start.imag else None

    def point(self, clusters: Sequence[Cluster], angle: FloatArray) -> CurvePoints:
        """Points at u = low + (high - low) sin^2(angle/2), one cluster for each angle."""
        anchor = np.array([c.anchor for c in clusters])
        low = np.array([c.low for c in clusters])
        width = np.array([c.high for c in clusters]) - low
        tau = low + width * np.sin(angle / 2) ** 2
        v, hilbert, slope = (np.empty(angle.size) for _ in range(3))
        rows = max(1, SCALARS // self.poles.s.size)
        for first in range(0, angle.size, rows):
            part = slice(first, first + rows)
            v[part] = self.height(anchor[part], tau[part])
            real = np.subtract.outer(anchor[part], self.poles.s) + tau[part, None]
            square = 1 / (real * real + (v[part] ** 2)[:, None])
            pull = self.t * self.poles.w * square
            hilbert[part] = (pull * real).sum(axis=1) / self.t
            # dx/du = 2 |E 1/z|^2 / E |z|^-2 with z = zeta - s and weights t w/|z|^2
            mean_real = (pull * real * square).sum(axis=1)
            mean_square = (pull * square).sum(axis=1)
            slope[part] = 2 * (mean_real**2 / mean_square + v[part] ** 2 * mean_square)
        return CurvePoints(
            anchor + (tau + self.t * hilbert),
            v / (np.pi * self.t),
            hilbert,
            slope * width * np.sin(angle) / 2,
            np.asarray(anchor + tau + 1j * v, dtype=np.complex128),
        )
