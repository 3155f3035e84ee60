"""The test error of three-token softmax rows and its slopes, without samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.scores import whitened_differences
from attlas.solver.channels.many_tokens.softmax_loss import softmax_rows

Array = NDArray[np.floating]

#: Tokens of a row whose two differences make a plane that can be tabulated.
EXPANDED_TOKENS = 3
#: exp(-this) is the relative size of what the expansion and the grid leave out.
_DIGITS = 33.0
#: The root of a normal density has this little weight beyond: exp(-33).
_REACH = 11.5
#: Degrees are rounded up to a multiple of this, so that few tables are made.
_ROUND = 16
#: Largest degree: a label sharper than that is left to samples.
_LARGEST = 256
#: A row: its first entry, and two more of equal law.
_VARIANCES = np.array([2.0, 1.0, 1.0])
_MULTIPLICITY = np.array([1.0, 2.0])


@dataclass(frozen=True)
class ExpandedRow:
    """3 E|softmax(beta0 z0) - softmax(beta z)|^2, one row of three entries.

    Parameters
    ----------
    signal : float
        (z0, z)_ab has covariance (1 + delta_ab) [[signal, m], [m, q]].
    beta, beta0 : float

    Notes
    -----
    In the two whitened differences of a row both softmaxes are expanded in Hermite polynomials:
    the correlation rho of the scores multiplies a term of degree k by rho^k (Mehler), whatever
    it is, so that nothing is lost as rho -> 1.
    """

    signal: float
    beta: float
    beta0: float

    @staticmethod
    def takes(signal: float, beta0: float) -> bool:
        """Whether labels are smooth enough for the expansion."""
        return _degree(beta0 * signal**0.5) <= _LARGEST

    def value(self, q: float, m: float) -> float:
        """The mean at overlaps q and m."""
        grid = self._grid(q)
        label = _label(grid, self._label)
        guess = grid.project(self._row(grid, self.beta * q**0.5)[:2])
        apart = np.einsum("j,jkl->", _MULTIPLICITY, (label - guess) ** 2)
        common = grid.by_degree(label * guess)
        rho = m / (self.signal * q) ** 0.5
        return 3 * float(apart + 2 * np.sum((1 - rho ** np.arange(common.size)) * common))

    def slopes(self, q: float, m: float) -> tuple[float, float]:
        """Its derivatives in q and in m."""
        grid, own = self._grid(q), q**0.5
        scores = grid.scores
        guess = self._row(grid, self.beta * own)
        # d(guess)/dq at fixed normals.
        moved = guess * (scores - np.sum(guess * scores, axis=0)) * (self.beta / (2 * own))
        spread = 6 * grid.mean(np.sum(guess * moved, axis=0))
        rho = m / (self.signal**0.5 * own)
        still, changed = grid.agreement(self._label, np.stack((guess, moved)), rho)
        degree = np.arange(still.size)
        along = float(np.sum(degree * still)) / m if m else 0.0
        return spread - 6 * (float(changed.sum()) - along * m / (2 * q)), -6 * along

    @property
    def _label(self) -> float:
        return self.beta0 * self.signal**0.5

    def _grid(self, q: float) -> _Grid:
        sharpness = max(self._label, self.beta * q**0.5)
        return _grid(_degree(sharpness), _step(sharpness))

    @staticmethod
    def _row(grid: _Grid, sharpness: float) -> Array:
        return softmax_rows(sharpness * grid.scores[None])[0]


@dataclass(frozen=True, eq=False)
class _Grid:
    """A plane of two normals, and Hermite polynomials on it.

    Attributes
    ----------
    weight : array (N,)
        Normal weights along an axis.
    scores : array (3, N N)
        A row of unit scores at the nodes, up to a shift.
    hermite : array (degrees, N)
        Normalised polynomials times weights.
    """

    weight: Array
    scores: Array
    hermite: Array

    def mean(self, values: Array) -> float:
        """Of values (N N) at the nodes."""
        return float(self.weight @ values.reshape(self.weight.size, -1) @ self.weight)

    def agreement(self, label: float, guesses: Array, rho: float) -> Array:
        """Terms of E sum_j softmax(label z0)_j g_j by total degree, for rows g (K, 3, N N)."""
        terms = [
            self.by_degree(_label(self, label) * guess) for guess in self.project(guesses[:, :2])
        ]
        return rho ** np.arange(len(terms[0])) * np.array(terms)

    def by_degree(self, products: Array) -> Array:
        """Sums over entries and over terms of a total degree, from (2, degrees, degrees)."""
        # The third entries' product has the mean of the second entries'.
        summed = np.einsum("j,jkl->kl", _MULTIPLICITY, products)
        degrees = np.arange(len(summed))
        return np.bincount(np.add.outer(degrees, degrees).ravel(), summed.ravel()).astype(float)

    def project(self, values: Array) -> Array:
        """Coefficients (..., degrees, degrees) of functions (..., N N)."""
        size = self.weight.size
        return self.hermite @ values.reshape(*values.shape[:-1], size, size) @ self.hermite.T


@lru_cache(maxsize=16)
def _label(grid: _Grid, sharpness: float) -> Array:
    """Coefficients of the first two entries of the labels."""
    return grid.project(softmax_rows(sharpness * grid.scores[None])[0, :2])


def _degree(sharpness: float) -> int:
    """Terms of each variable: they fall as exp(-2 y sqrt(2 n)), y the distance of the poles."""
    y = np.pi / (3**0.5 * sharpness)
    return int(_ROUND * np.ceil((0.5 * (_DIGITS / (2 * y)) ** 2 + 12) / _ROUND))


def _step(sharpness: float) -> float:
    """Spacing at which the trapezoidal rule resolves the last polynomial times a softmax.

    Rounded down to one of a few per octave, so that few grids are made.
    """
    y = np.pi / (3**0.5 * sharpness)
    spacing = 2 * np.pi / (_degree(sharpness) ** 0.5 + (_DIGITS + 4) / y)
    return float(2 ** (np.floor(4 * np.log2(spacing)) / 4))


@lru_cache(maxsize=16)
def _grid(degrees: int, step: float) -> _Grid:
    count = int(np.ceil(_REACH / step))
    x = np.arange(-count, count + 1) * step
    root = np.exp(-0.25 * x**2) * (step / (2 * np.pi) ** 0.5) ** 0.5
    rows = [root, x * root]
    for n in range(1, degrees - 1):
        rows.append((x * rows[n] - n**0.5 * rows[n - 1]) / (n + 1) ** 0.5)
    first, second = np.meshgrid(x, x, indexing="ij")
    plane = np.stack((first.ravel(), second.ravel()))
    return _Grid(root**2, whitened_differences(_VARIANCES) @ plane, np.array(rows) * root)
