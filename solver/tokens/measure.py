"""What the theory sees of tokens: their covariance, their length, and how Gaussian they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from attlas.model.exact import Number
from attlas.model.names import names_checked
from attlas.model.tokens import Eigenvalues, Tokens
from attlas.solver.tokens.prepare import Prepared, prepare
from attlas.solver.tokens.read import rows_of
from attlas.solver.tokens.result import Array, MeasuredTokens, TokenStatistics

#: Groups of the jackknife.
_GROUPS = 10
#: Random projections whose distance from a Gaussian is measured.
_PROJECTIONS = 32
#: sqrt(n) times the mean distance of n Gaussian draws, brought to variance 1, from N(0, 1).
_KOLMOGOROV = 0.63


@names_checked
def tokens(
    array: np.ndarray,
    *,
    normalise: str = "rms",
    dimensions: Number | None = None,
    reduce: str = "coordinates",
    seed: int = 0,
) -> MeasuredTokens:
    """Measure tokens, and make the part of a problem that they are (docs/tokens.md).

    Parameters
    ----------
    array : ndarray (..., d0)
        Embeddings or activations, a token each row, more rows than dimensions.
    normalise, dimensions, reduce, seed
        As for :func:`attlas.solver.tokens.prepare`.

    Raises
    ------
    BadInput
        For fewer tokens than dimensions, NaN, constant columns, tokens of length 0.
    """
    rows = rows_of(array, "tokens", "the array")
    return measured(
        prepare(rows, normalise=normalise, dimensions=dimensions, reduce=reduce, seed=seed)
    )


def measured(prepared: Prepared) -> MeasuredTokens:
    """Measure tokens that are prepared."""
    n, d = prepared.x.shape
    directions = np.random.default_rng(0).standard_normal((d, _PROJECTIONS))
    directions /= np.linalg.norm(directions, axis=0)
    values = _statistics(prepared.x, prepared.raw, directions)
    groups = np.arange(n) * _GROUPS // n  # neighbours together: they may be correlated
    without = [
        _statistics(prepared.x[groups != one], prepared.raw[groups != one], directions)
        for one in range(_GROUPS)
    ]
    names = TokenStatistics.__dataclass_fields__
    errors: dict[str, Any] = {
        name: _jackknife(np.array([getattr(one, name) for one in without])) for name in names
    }
    law = "normalised" if prepared.normalised else "gaussian"
    return MeasuredTokens(
        n=n,
        d=d,
        statistics=values,
        error=TokenStatistics(**errors),
        gaussian_distance=float(_KOLMOGOROV / np.sqrt(n)),
        sampling_spread=d / n,
        tokens=Tokens(law, Eigenvalues(values.eigenvalues)),
    )


def _jackknife(without: Array) -> Array:
    count = len(without)
    return np.sqrt((count - 1) / count * np.square(without - without.mean(axis=0)).sum(axis=0))


def _statistics(x: Array, raw: Array, directions: Array) -> TokenStatistics:
    n, d = x.shape
    gram = x.T @ x / n
    eigenvalues = np.linalg.eigvalsh(gram)
    second = _second_moment(x, gram)
    eigenvalues = eigenvalues / eigenvalues.mean()
    spread = np.square(eigenvalues).mean() - 1
    # The sample spreads eigenvalues by d/n; their mean square is brought to its unbiased value.
    shrunk = max(second - 1, 0.0) / spread if spread > 0 else 0.0
    corrected = 1 + (eigenvalues - 1) * np.sqrt(min(shrunk, 1.0))
    length = np.square(_whitened(raw)).sum(axis=1)
    # Whitened by their own covariance, the lengths of n Gaussian tokens vary by less.
    fluctuation = length.var() / d * (n + 2) / (n - d)
    kurtosis = np.mean(x**4, axis=0) / np.square(np.mean(x * x, axis=0)) - 3
    return TokenStatistics(
        eigenvalues=corrected,
        second_moment=second,
        norm_kurtosis=float(fluctuation - 2),
        axis_kurtosis=float(kurtosis.mean()),
        largest_axis_kurtosis=float(kurtosis.max()),
        projection_distance=_distance(_whitened(x) @ directions),
        neighbour_correlation=float((x[1:] * x[:-1]).sum() / (d * (n - 1))),
    )


def _second_moment(x: Array, gram: Array) -> float:
    """Tr C^2/d without bias: over pairs of different tokens alone."""
    n, d = x.shape
    own = np.square(np.square(x).sum(axis=1)).sum()
    pairs = n * n * np.square(gram).sum() - own
    return float(pairs / (n * (n - 1) * d) / (np.square(x).sum() / (n * d)) ** 2)


def _whitened(x: Array) -> Array:
    values, vectors = np.linalg.eigh(x.T @ x / len(x))
    return x @ (vectors / np.sqrt(values))


def _distance(projections: Array) -> float:
    """Kolmogorov's distance of each column from N(0, 1), on average."""
    n = len(projections)
    levels = norm.cdf(np.sort(projections, axis=0))
    steps = np.arange(n + 1)[:, None] / n
    above, below = steps[1:] - levels, levels - steps[:-1]
    return float(np.maximum(above.max(axis=0), below.max(axis=0)).mean())
