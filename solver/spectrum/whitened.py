# numpy infers complexfloating for arrays that are complex128.
# pyright: reportArgumentType=false, reportReturnType=false
"""The law of S~0 + delta Z - f(C), S~0 = C^(1/2) S0 C^(1/2): what tokens of covariance C learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from attlas.model.errors import BadInput, ComputationFailed
from attlas.model.targets import Target
from attlas.solver.spectrum.law import UNIT, ComplexArray, FloatArray, TargetLaw, Truncated

#: Coefficients of C^-1, 1 and C in f.
Tilts = tuple[float, float, float]

#: Gauss-Legendre nodes of a panel.
_NODES = 20
#: Divisions of the path from 0, each half as long as the one before; and how many more there may
#: be where a panel is not resolved.
_DEPTH, _MOST = 7, 60
#: Relative accuracy of an integral at which no panel is divided, and the one that is enough.
_GOAL, _ENOUGH = 3e-12, 1e-8
#: Distances above the path, in its length, through which a solution is followed down to it.
#: First in large steps, then, where these fail, in small ones.
_DESCENTS = tuple((*(40 * r**k for k in range(n)), 0.0) for r, n in ((0.7, 30), (0.85, 120)))
#: Newton's steps, and the relative size of the last.
_STEPS, _SETTLED = 12, 1e-12
#: Ends of paths are powers of this, so that near problems share their paths.
_GRID = 1.25
_X, _W = leggauss(_NODES)
#: From values at the nodes of a panel to the last Legendre coefficients of the integrand.
_LAST = ((legvander(_X, _NODES - 1) * (np.arange(_NODES) + 0.5)).T * _W)[-3:]

#: A parameter s of the target: t, dt/ds, u = R0(t) and du/ds.
Transform = Callable[[ComplexArray], tuple[ComplexArray, ComplexArray, ComplexArray, ComplexArray]]


@dataclass(frozen=True)
class _Panel:
    """What is known on a piece of a path, shape (nodes,) each."""

    z: ComplexArray
    w: ComplexArray
    g: ComplexArray
    s: ComplexArray
    #: Transforms with weights 1/c, 1 and c.
    tilted: tuple[ComplexArray, ComplexArray, ComplexArray]


@dataclass(frozen=True)
class WhitenedLaw:
    """Integrals of the law of C^(1/2) S0 C^(1/2) + delta Z - f(C) above 0, S0 free of C.

    f(c) = e/c + b + k c. In the eigenbasis of C the resolvent has the diagonal
    G_c(z) = 1/(z + f(c) - delta^2 g - c R0(t)) with g the mean of G_c and t that of c G_c: two
    equations. No density and no edge is needed: the transform is analytic above the real axis,
    where integrals along it are taken along an arc from 0 to beyond the support.

    Parameters
    ----------
    transform : callable
        Of the target.
    first : callable
        The parameter s for a z far from the support.
    base : TargetLaw
        Of S0 itself.
    values, weights : array
        Eigenvalues of C, of mean 1, and their weights.
    top : float
        Largest eigenvalue of S0.

    Notes
    -----
    theory.md section 17.
    """

    transform: Transform
    first: Callable[[ComplexArray], ComplexArray]
    base: TargetLaw
    values: FloatArray
    weights: FloatArray
    top: float
    _known: dict[tuple[float, float, float, bool], tuple[ComplexArray, ComplexArray]] = field(
        default_factory=dict
    )

    @cached_property
    def square(self) -> float:
        """Tr C^2/d."""
        return float(self.weights @ self.values**2)

    @property
    def mean(self) -> float:
        """Tr S~0/d."""
        return self.base.mean

    @property
    def q0(self) -> float:
        """Tr S~0^2/d."""
        return self.base.mean**2 * self.square + self.base.q0 - self.base.mean**2

    def integrals(self, delta: float, tilts: Tilts) -> tuple[Truncated, tuple[float, float, float]]:
        """J and its derivatives at (delta, f), above 0, and dJ by the coefficients of f.

        Raises
        ------
        ComputationFailed
            If double precision does not resolve the law.
        """
        panels = self._path(delta, tilts, left=False)
        slopes, errors = [], []
        for part in range(3):
            value, bar = _total(panels, lambda p, k=part: p.z * p.tilted[k])
            slopes.append(-2 * value)
            errors.append(2 * bar)
        j, j_error = _total(panels, lambda p: p.z**2 * p.g)
        j1, j1_error = _total(panels, lambda p: p.z * p.g**2)
        j1, j1_error = 2 * delta * j1, 2 * delta * j1_error
        mass, mass_error = _total(panels, lambda p: p.g)
        if mass <= 4 * mass_error and j <= 4 * j_error:  # all of the law is below 0
            j = j1 = mass = 0.0
            slopes = [0.0] * 3
        moved = delta * j1 + sum(e * slope for e, slope in zip(tilts, slopes, strict=True))
        bar = (
            j_error
            + delta * j1_error
            + sum(abs(e) * one for e, one in zip(tilts, errors, strict=True))
        )
        bar += 8 * UNIT * self.q0
        found = Truncated(
            epsilon=tilts[0],
            j=j,
            j1=j1,
            j2=slopes[0],
            mass=mass,
            squared_error_part=moved - j,
            squared_error=self.q0 + moved - j,
            j_error=j_error,
            j1_error=j1_error,
            j2_error=max(errors),
            mass_error=mass_error,
            squared_error_part_error=bar,
            squared_error_error=bar,
        )
        return found, (slopes[0], slopes[1], slopes[2])

    def mean_squared_slope(self, delta: float, tilts: Tilts) -> float:
        """iint [(x_+ - y_+)/(x - y)]^2 over the law: the matrix factor of the replicon."""
        right, left = (self._path(delta, tilts, left=side) for side in (False, True))
        mass = _total(right, lambda p: p.g)[0]
        x, y = (np.concatenate([p.z for p in side]) for side in (right, left))
        fx, fy = (np.concatenate([p.w * p.g for p in side]) for side in (right, left))
        # The left path runs from 0 away from it, against the integral.
        above, below = (
            (x**2 * fx) @ (1 / np.subtract.outer(x, one) ** 2) @ -weight
            for one, weight in ((y, fy), (np.conj(y), np.conj(fy)))
        )
        return float(mass**2 + (below - above).real / math.pi**2)

    def stieltjes(self, z: ComplexArray, delta: float, tilts: Tilts) -> ComplexArray:
        """G(z) at complex z above the real axis, any shape."""
        flat = np.asarray(z, dtype=complex).ravel()
        g, _ = self._descended(flat, delta, self._f(tilts), self._reach(delta, tilts)[1])
        return g.reshape(np.shape(z))

    def density(self, x: FloatArray, delta: float, tilts: Tilts) -> FloatArray:
        """Density at real x, any shape."""
        return np.maximum(-self.stieltjes(np.asarray(x) + 0j, delta, tilts).imag / math.pi, 0.0)

    def _f(self, tilts: Tilts) -> FloatArray:
        return tilts[0] / self.values + tilts[1] + tilts[2] * self.values

    def _reach(self, delta: float, tilts: Tilts) -> tuple[float, float]:
        """Bounds of the support, on the grid of ends of paths."""
        f = self._f(tilts)
        top = self.top * float(self.values[-1]) + 2 * delta - float(f.min())
        bottom = 2 * delta + float(f.max())
        size = 0.5 * delta
        return _on_grid(max(bottom, size)), _on_grid(max(top, size))

    def _path(self, delta: float, tilts: Tilts, *, left: bool) -> list[_Panel]:
        """Panels of an arc from 0 to an end of the support, fine enough for every integrand."""
        ends = self._reach(delta, tilts)
        end = ends[0] if left else ends[1]
        waiting = [(0.5**k if k < _DEPTH else 0.0, 0.5 ** (k - 1)) for k in range(1, _DEPTH + 1)]
        done: list[_Panel] = []
        rounds = 0
        while waiting:
            found = self._panels(waiting, end, delta, tilts, left)
            scales = _scales([*done, *found])
            rough = [_rough(panel, scales) > _GOAL for panel in found]
            done += [panel for panel, again in zip(found, rough, strict=True) if not again]
            again = [place for place, bad in zip(waiting, rough, strict=True) if bad]
            rounds += len(again)
            if rounds > _MOST:
                done += [panel for panel, bad in zip(found, rough, strict=True) if bad]
                break
            waiting = [half for low, high in again for half in _halves(low, high)]
        scales = _scales(done)
        if sum(_rough(panel, scales) for panel in done) > _ENOUGH * len(done):
            raise ComputationFailed(
                "The law of the trained map was not resolved: the token covariance or the noise "
                "level is too extreme for double precision."
            )
        return done

    def _panels(
        self,
        places: list[tuple[float, float]],
        end: float,
        delta: float,
        tilts: Tilts,
        left: bool,
    ) -> list[_Panel]:
        """Panels between given shares of an arc."""
        shares = np.concatenate([low + (high - low) * (1 + _X) / 2 for low, high in places])
        # The arc of a circle from 0 to the end that rises at 45 degrees.
        angle = 0.75 * math.pi - 0.5 * math.pi * shares
        corner = np.exp(1j * angle) / math.sqrt(2)
        z = end * (0.5 - 0.5j + corner)
        dz = end * corner * (-0.5j * math.pi)
        if left:
            z, dz = -np.conj(z), -np.conj(dz)
        keys = [(end, low, high, left) for low, high in places]
        f = self._f(tilts)
        g, s = self._solved(keys, z, delta, f, end)
        if len(self._known) > 600:
            self._known.clear()
        denominator = self._denominator(z, g, s, delta, f)
        weighted = self.weights / denominator
        tilted = (weighted @ (1 / self.values), g, weighted @ self.values)
        panels = []
        for index, (low, high) in enumerate(places):
            part = slice(index * _NODES, (index + 1) * _NODES)
            self._known[keys[index]] = g[part], s[part]
            w = 0.5 * (high - low) * _W * dz[part]
            panels.append(_Panel(z[part], w, g[part], s[part], tuple(one[part] for one in tilted)))
        return panels

    def _denominator(
        self, z: ComplexArray, g: ComplexArray, s: ComplexArray, delta: float, f: FloatArray
    ) -> ComplexArray:
        u = self.transform(s)[2]
        return (z - delta**2 * g)[:, None] + f - u[:, None] * self.values

    def _solved(
        self,
        keys: list[tuple[float, float, float, bool]],
        z: ComplexArray,
        delta: float,
        f: FloatArray,
        end: float,
    ) -> tuple[ComplexArray, ComplexArray]:
        """g and s at the nodes of panels: from a problem near by, else from far above."""
        if all(key in self._known for key in keys):
            g, s = (np.concatenate([self._known[key][k] for key in keys]) for k in (0, 1))
            near, far, settled = self._newton(z, g, s, delta, f)
            step = np.abs(near - g) < 0.2 * np.abs(g)
            if np.all(settled & step & (near.imag < 0)):
                return near, far
        return self._descended(z, delta, f, end)

    def _descended(
        self, z: ComplexArray, delta: float, f: FloatArray, end: float
    ) -> tuple[ComplexArray, ComplexArray]:
        g, s = np.zeros((2, z.size), dtype=complex)
        left = np.ones(z.size, dtype=bool)
        for heights in _DESCENTS:
            here = z[left]
            far = here + 1j * heights[0] * end
            found, place = 1 / far, self.first(far)
            good = np.ones(here.size, dtype=bool)
            for height in heights:
                found, place, settled = self._newton(
                    here + 1j * height * end, found, place, delta, f
                )
                good &= settled & (found.imag <= 1e-9 * np.abs(found))
            g[left], s[left] = found, place
            left[left] = ~good
            if not left.any():
                return g, s
        raise ComputationFailed(
            "The resolvent of the trained map was not found: the token covariance or the "
            "noise level is too extreme for double precision."
        )

    def _newton(
        self, z: ComplexArray, g: ComplexArray, s: ComplexArray, delta: float, f: FloatArray
    ) -> tuple[ComplexArray, ComplexArray, np.ndarray]:
        """Both equations solved from a guess, and where the steps ended."""
        with np.errstate(all="ignore"):  # a step that leads nowhere is found unsettled
            return self._steps(z, g, s, delta, f)

    def _steps(
        self, z: ComplexArray, g: ComplexArray, s: ComplexArray, delta: float, f: FloatArray
    ) -> tuple[ComplexArray, ComplexArray, np.ndarray]:
        t2, c, weights = delta**2, self.values, self.weights
        change = np.full(z.size, np.inf)
        for _ in range(_STEPS):
            t, dt, u, du = self.transform(s)
            inverse = 1 / ((z - t2 * g)[:, None] + f - u[:, None] * c)
            once, twice = inverse * weights, inverse * inverse * weights
            first, second = g - once.sum(axis=1), t - once @ c
            a0, a1, a2 = twice.sum(axis=1), twice @ c, twice @ (c * c)
            gg, gs, sg, ss = 1 - t2 * a0, -du * a1, -t2 * a1, dt - du * a2
            determinant = gg * ss - gs * sg
            dg = (ss * first - gs * second) / determinant
            ds = (gg * second - sg * first) / determinant
            g, s = g - dg, s - ds
            change = np.maximum(np.abs(dg / g), np.abs(ds * dt / t))
            if np.max(change) < _SETTLED:
                break
        return g, s, change < 1e3 * _SETTLED


def _on_grid(end: float) -> float:
    return _GRID ** math.ceil(math.log(1.2 * end) / math.log(_GRID))


def _halves(low: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
    middle = (low + high) / 2 if low > 0 else high / 2
    return (low, middle), (middle, high)


#: Integrands whose integrals must be resolved.
_INTEGRANDS: tuple[Callable[[_Panel], ComplexArray], ...] = (
    lambda p: p.g,
    lambda p: p.z**2 * p.g,
    lambda p: p.z * p.g**2,
    lambda p: p.z * p.tilted[0],
    lambda p: p.z * p.tilted[2],
)


def _scales(panels: list[_Panel]) -> list[float]:
    return [
        sum(float(np.sum(np.abs(p.w * integrand(p)))) for p in panels) for integrand in _INTEGRANDS
    ]


def _rough(panel: _Panel, scales: list[float]) -> float:
    """The largest error of an integral over a panel, over its size on the whole path."""
    return max(
        _tail(panel, integrand) / scale
        for integrand, scale in zip(_INTEGRANDS, scales, strict=True)
    )


def _tail(panel: _Panel, integrand: Callable[[_Panel], ComplexArray]) -> float:
    """Error of a panel: its last Legendre coefficients, with the slower ones before them.

    The rule of n nodes misses those from 2 n on, far below the last that it sees.
    """
    last = np.abs(_LAST @ (integrand(panel) * panel.w / _W))
    return float(2 * last.max())


def _total(
    panels: list[_Panel], integrand: Callable[[_Panel], ComplexArray]
) -> tuple[float, float]:
    """-Im/pi of an integral along the path, and its error."""
    values = [panel.w * integrand(panel) for panel in panels]
    total = sum(complex(np.sum(value)) for value in values)
    size = sum(float(np.sum(np.abs(value))) for value in values)
    error = sum(_tail(panel, integrand) for panel in panels) + 40 * UNIT * size
    return -total.imag / math.pi, error / math.pi


def whitened_law(
    target: Target, base: TargetLaw, values: FloatArray, weights: FloatArray
) -> WhitenedLaw:
    """The law of a target seen through tokens of a covariance of given eigenvalues.

    Raises
    ------
    BadInput
        For a target that is given neither by its eigenvalues nor by its R-transform.
    """
    order = np.argsort(values)
    values, weights = np.asarray(values)[order], np.asarray(weights)[order]
    ratio = target.wishart_ratio
    if ratio is not None:
        root = float(ratio) ** 0.5
        top = (1 + root) ** 2 / root

        def wishart(s: ComplexArray) -> tuple[ComplexArray, ...]:
            rest = 1 / (1 - s / root)
            return s, np.ones_like(s), root * rest, rest * rest

        return WhitenedLaw(wishart, _inverse, base, values, weights, top)
    if target.eigenvalues is not None:
        s0, counts = np.unique(np.asarray(target.eigenvalues, dtype=float), return_counts=True)
        share = counts / counts.sum()

        def atoms(s: ComplexArray) -> tuple[ComplexArray, ...]:
            inverse = 1 / np.subtract.outer(s, s0)
            t, dt = inverse @ share, -(inverse * inverse) @ share
            return t, dt, s - 1 / t, 1 + dt / (t * t)

        return WhitenedLaw(atoms, _itself, base, values, weights, float(s0[-1]))
    found = _rational(target)
    if found is None:
        raise BadInput(
            "token_covariance",
            "a covariance",
            f"has no theory for the target {target.grammar()}",
            "take a target given by its eigenvalues or by its R-transform",
        )
    top = base.noisy(1e-3 * base.q0**0.5).top
    return WhitenedLaw(found, _inverse, base, values, weights, top)


def _inverse(z: ComplexArray) -> ComplexArray:
    return 1 / z


def _itself(z: ComplexArray) -> ComplexArray:
    return z


@lru_cache(maxsize=16)
def _rational(target: Target) -> Transform | None:
    """The R-transform and its derivative, as functions of arrays."""
    import sympy as sp

    g = sp.Symbol("g")
    formula = target.r_transform(g)
    if formula is None:
        return None
    value, slope = (sp.lambdify(g, one, "numpy") for one in (formula, sp.diff(formula, g)))

    def transform(s: ComplexArray) -> tuple[ComplexArray, ...]:
        one = np.ones_like(s)
        return s, one, value(s) * one, slope(s) * one

    return transform
