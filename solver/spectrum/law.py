"""What the law of S0 + delta Z offers, whatever the target."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attlas.model.errors import BadInput
from attlas.solver.spectrum.bracketed_newton import bracketed_newton

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IndexArray = NDArray[np.intp]

UNIT = 2.0**-53
"""Relative rounding error of one operation in double precision."""


#: Noise over sqrt(Q0), and nodes a panel, of a table of quantiles.
_NEARLY_NONE, _TABLE = 1e-4, 200


@dataclass(frozen=True)
class Band:
    """One interval of the support of mu_delta, with the mass it carries.

    The edges are critical values of the inverse Stieltjes transform, never a cut in a density.
    """

    lower: float
    upper: float
    mass: float


@dataclass(frozen=True)
class Truncated:
    """Integrals of mu_delta above a threshold epsilon, each with an absolute error bar.

    Attributes
    ----------
    epsilon : float
        The threshold.
    j : float
        J = int_eps (x - eps)^2 mu_delta(dx).
    j1, j2 : float
        dJ/d(delta) and dJ/d(epsilon).
    mass : float
        Mass of mu_delta **above** epsilon, 1 - F(epsilon): the rank fraction.
    squared_error_part : float
        int_eps (eps^2 - x^2) mu_delta(dx) + delta J1; adding Q0 gives the squared error.
    squared_error : float
        Q0 + squared_error_part = ||S - S0||^2/d at eta = 1, evaluated without the cancellation
        against Q0, so that it keeps its digits when it is tiny.
    j_error, j1_error, j2_error, mass_error, squared_error_part_error, squared_error_error : float
        Absolute errors, not understating.

    Notes
    -----
    theory.md sections 3, 5 and 16.
    """

    epsilon: float
    j: float
    j1: float
    j2: float
    mass: float
    squared_error_part: float
    squared_error: float
    j_error: float
    j1_error: float
    j2_error: float
    mass_error: float
    squared_error_part_error: float
    squared_error_error: float


@dataclass(frozen=True)
class Nodes:
    """Quadrature of mu_delta above a threshold: sum(w * phi(x)) = int_{x > lower} phi dmu_delta.

    Attributes
    ----------
    x, w : array, shape (n,)
        Abscissae, increasing, and weights (the density is in the weights).
    rho, hilbert : array, shape (n,)
        Density and Re G at the abscissae.
    """

    x: FloatArray
    w: FloatArray
    rho: FloatArray
    hilbert: FloatArray


class NoisyLaw(ABC):
    """The law mu_delta = mu_0 [+] semicircle of variance delta^2. theory.md section 5.

    Attributes
    ----------
    delta : float
        Noise level, > 0.
    """

    delta: float

    @property
    @abstractmethod
    def top(self) -> float:
        """Upper edge of the support."""

    @abstractmethod
    def bands(self) -> tuple[Band, ...]:
        """All bands, increasing."""

    @abstractmethod
    def truncated(self, epsilon: float) -> Truncated:
        """The integrals above epsilon, any real number.

        Raises
        ------
        BadInput
            If epsilon is not finite.
        """

    def both_sides(self, epsilon: float) -> Truncated:
        """The integrals of |x| above epsilon >= 0, of a law that is even."""
        raise TypeError(f"a law on x >= 0 is not even: no integrals of |x| above {epsilon}")

    @abstractmethod
    def nodes(self, lower: float = -math.inf, n: int | None = None, tol: float = 1e-14) -> Nodes:
        """Quadrature nodes on the support above ``lower``.

        Parameters
        ----------
        lower : float
            Where the integral starts.
        n : int, optional
            Gauss-Legendre nodes per panel; chosen from ``tol`` when absent.
        tol : float
            Relative accuracy for smooth functions of x.
        """

    @abstractmethod
    def graded_nodes(self, start: float, stop: float, n: int, focus: float | None) -> Nodes:
        """Nodes on the support within (start, stop), refined towards ``focus``."""

    @abstractmethod
    def _boundary_values(self, x: FloatArray) -> ComplexArray:
        """G(x + i0), x of shape (n,)."""

    @abstractmethod
    def _above(self, z: ComplexArray) -> ComplexArray:
        """G(z) at Im z > 0, z of shape (n,)."""

    def stieltjes(self, z: ArrayLike) -> ComplexArray:
        """G(z) at complex z, any shape; on the real axis the limit from above."""
        points = np.asarray(z, dtype=complex)
        flat: ComplexArray = points.ravel()
        out: ComplexArray = np.empty_like(flat)
        real = flat.imag == 0
        out[real] = self._boundary_values(flat[real].real)
        out[~real] = self._above((flat.real + 1j * np.abs(flat.imag))[~real])
        return np.where(flat.imag < 0, np.conj(out), out).reshape(points.shape)

    def density(self, x: ArrayLike) -> FloatArray:
        """Density of mu_delta at real x, any shape."""
        return -self.stieltjes(np.asarray(x, dtype=float)).imag / math.pi

    def hilbert(self, x: ArrayLike) -> FloatArray:
        """Re G(x) at real x, any shape."""
        return self.stieltjes(np.asarray(x, dtype=float)).real

    def moments(self) -> tuple[float, float, float]:
        """Mass, mean and second moment, integrated numerically from the density."""
        nodes = self.nodes()
        x, w = nodes.x, nodes.w
        return float(np.sum(w)), float(np.sum(w * x)), float(np.sum(w * x * x))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """F(x), the mass below x, any shape."""
        return _map(lambda point: 1 - self.truncated(point).mass, x)

    def quantile(self, u: ArrayLike) -> FloatArray:
        """Smallest x with F(x) >= u, any shape.

        Raises
        ------
        BadInput
            If some u is not strictly between 0 and 1.
        """
        bands = self.bands()
        ends = np.cumsum([band.mass for band in bands])

        def quantile(level: float) -> float:
            if not 0 < level < 1:
                raise BadInput("u", level, "must lie strictly between 0 and 1")
            band = bands[min(int(np.searchsorted(ends, level)), len(bands) - 1)]

            def excess(x: float) -> tuple[float, float]:
                if x <= band.lower:
                    return -1.0, 0.0
                if x >= band.upper:
                    return 1.0, 0.0
                return 1 - self.truncated(x).mass - level, float(self.density(x))

            return bracketed_newton(excess, band.lower, band.upper, (band.lower + band.upper) / 2)

        return _map(quantile, u)


def _map(function: Callable[[float], float], x: ArrayLike) -> FloatArray:
    points = np.asarray(x, dtype=float)
    return np.array([function(float(point)) for point in points.ravel()]).reshape(points.shape)


class TargetLaw(ABC):
    """The spectral law of S0 itself.

    Attributes
    ----------
    q0 : float
        Q0 = Tr S0^2/d.
    mean : float
        Tr S0/d.
    rank_fraction : float
        Mass not at 0.
    even : bool
        Whether x and -x are alike, as singular values with both signs are.
    """

    q0: float
    mean: float
    rank_fraction: float
    even: bool = False

    @abstractmethod
    def noisy(self, delta: float) -> NoisyLaw:
        """The law of S0 + delta Z, delta > 0.

        Raises
        ------
        BadInput
            If delta is not positive and finite.
        """

    def resolved(self, delta: float) -> TargetLaw:  # noqa: ARG002
        """The same law where every band at a noise level is one of eigenvalues, not of groups."""
        return self

    def coarser(self, delta: float) -> TargetLaw | None:  # noqa: ARG002
        """The same law with coarser groups of eigenvalues, if it has groups."""
        return None

    def quantiles(self, d: int) -> FloatArray:
        """d eigenvalues, descending, at the levels (i - 1/2)/d of the law; zeros are exact."""
        levels = (np.arange(d)[::-1] + 0.5) / d
        nodes = self.noisy(_NEARLY_NONE * math.sqrt(self.q0)).nodes(n=_TABLE)
        values = np.interp(levels, np.cumsum(nodes.w) - nodes.w / 2, nodes.x)
        return np.where(levels > 1 - self.rank_fraction, np.maximum(values, 0.0), 0.0)
