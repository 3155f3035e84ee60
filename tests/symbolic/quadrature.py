# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
"""The law of S0 + delta Z by numpy and Gauss-Legendre: a route independent of the package."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(300)


class QuadratureLaw:
    """Density from the cubic's roots, averages with the square-root edges removed."""

    def __init__(self, kappa0: float, delta: float) -> None:
        self.s, self.t = np.sqrt(kappa0), delta**2
        self.delta = delta
        self.bands = self._bands()

    def position(self, g: Array) -> Array:
        return 1 / g + self.t * g + self.s**2 / (self.s - g)

    def _bands(self) -> list[tuple[float, float]]:
        s, t = self.s, self.t
        # (t g^2 - 1)(s - g)^2 + s^2 g^2 = 0
        slope = np.polyadd(np.polymul([t, 0, -1], [1, -2 * s, s * s]), [s * s, 0, 0])
        roots = np.roots(slope)
        real = np.sort(self.position(roots[np.abs(roots.imag) < 1e-9].real))
        return [(real[i], real[i + 1]) for i in range(0, len(real), 2)]

    def transform(self, x: float) -> complex:
        """G(x + i0) inside a band."""
        return complex(self.transforms(np.array([x]))[0])

    def transforms(self, x: Array) -> NDArray[np.complex128]:
        """G(x + i0) at points inside the bands: the eigenvalues of the cubics' companions."""
        s, t = self.s, self.t
        companion = np.zeros((x.size, 3, 3))
        companion[:, 0, 0] = (t * s + x) / t
        companion[:, 0, 1] = (s * s - s * x - 1) / t
        companion[:, 0, 2] = s / t
        companion[:, 1, 0] = companion[:, 2, 1] = 1
        roots = np.linalg.eigvals(companion).astype(complex)
        return roots[np.arange(x.size), roots.imag.argmin(axis=1)]

    def average(
        self, weight: Callable[[Array, Array, Array], Array], above: float = -np.inf
    ) -> float:
        """Mean of weight(x, Re G, density) over the part of the law above a point."""
        total = 0.0
        for low, high in self.bands:
            if high <= above:
                continue
            if above <= low:
                angle = (_NODES + 1) * np.pi / 2
                x = (high + low) / 2 + (high - low) / 2 * np.cos(angle)
                measure = _WEIGHTS * np.pi / 2 * (high - low) / 2 * np.sin(angle)
            else:
                depth = (_NODES + 1) / 2
                x = high - (high - above) * depth**2
                measure = _WEIGHTS / 2 * (high - above) * 2 * depth
            g = self.transforms(x)
            density = -g.imag / np.pi
            total += float(np.sum(measure * density * weight(x, g.real, density)))
        return total

    def J(self, epsilon: float, cut: float | None = None) -> float:
        return self.average(lambda x, _h, _r: (x - epsilon) ** 2, epsilon if cut is None else cut)

    def J1(self, epsilon: float, cut: float | None = None) -> float:
        where = epsilon if cut is None else cut
        return 4 * self.delta * self.average(lambda x, h, _r: (x - epsilon) * h, where)

    def J2(self, epsilon: float, cut: float | None = None) -> float:
        return -2 * self.average(lambda x, _h, _r: x - epsilon, epsilon if cut is None else cut)

    def mass(self, epsilon: float) -> float:
        return self.average(lambda x, _h, _r: np.ones_like(x), epsilon)
