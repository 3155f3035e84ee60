"""Deviations at finite d, extrapolated to d -> infinity with an error from seeds alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

#: From this many runs at every size on, each size keeps its own variance; below, they are pooled.
OWN_VARIANCE_RUNS = 5

#: A power of 1/d left out of the fit is allowed a coefficient this many times the last one kept.
NEXT_COEFFICIENT = 3.0


@dataclass(frozen=True)
class Extrapolation:
    """A fit of deviations by powers of 1/d.

    Attributes
    ----------
    intercept, standard_error, dof : float
        The value at d -> infinity, its standard error, and the error's degrees of freedom.
    coefficients : tuple of float
        Of powers 0, 1, ... of 1/d; the first is the intercept.
    order : int
        Highest power of 1/d in the fit.
    goodness_of_fit : float
        p-value of the next power of 1/d; NaN if there are too few sizes for it.
    truncation : float
        Systematic error of the intercept: what the next power of 1/d would change, with
        ``NEXT_COEFFICIENT`` times the coefficient of the last power kept.
    sizes, counts : tuple of int
        Dimensions, and runs at each.
    weights : tuple of float
        The intercept is the sum of weights times mean deviations, one weight a size.
    variances : tuple of float
        Variance of one run's deviation, one a size.
    """

    intercept: float
    standard_error: float
    dof: float
    coefficients: tuple[float, ...]
    order: int
    goodness_of_fit: float
    truncation: float
    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    weights: tuple[float, ...]
    variances: tuple[float, ...]


@dataclass(frozen=True)
class _Groups:
    """Runs grouped by size: means, variances of one run, and how well these are known."""

    sizes: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    pooled_dof: int | None

    def error_of(self, weights: np.ndarray) -> tuple[float, float]:
        """Standard error of a weighted sum of means, and its degrees of freedom."""
        parts = weights**2 * self.variances / self.counts
        total = float(parts.sum())
        if self.pooled_dof is not None:
            return total**0.5, float(self.pooled_dof)
        # Satterthwaite: the chi-square that has the first two moments of the sum.
        spread = float((parts**2 / (self.counts - 1)).sum())
        dof = total**2 / spread if spread > 0 else float(self.counts.sum() - len(self.counts))
        return total**0.5, dof


def intercept_weights(sizes: np.ndarray, counts: np.ndarray, order: int) -> np.ndarray:
    """Weights of the size means in each coefficient of the fit, shape (order + 1, sizes).

    Weighted least squares with variances proportional to 1/d^2, the scale on which overlaps and
    losses fluctuate. The weights do not depend on the runs, so the intercept is unbiased whatever
    the true variances are.
    """
    design = (1.0 / sizes)[:, None] ** np.arange(order + 1)
    root = np.sqrt(counts) * sizes
    return np.linalg.pinv(root[:, None] * design) * root


def extrapolate(d: Sequence[int], deviations: Sequence[float], order: int = 1) -> Extrapolation:
    """Fit deviations by a + b/d + ... with powers of 1/d up to ``order``.

    Parameters
    ----------
    d : sequence of int
        Dimension of each run; more sizes than ``order``, and at least two runs at one of them.
    deviations : sequence of float
        Relative deviation of each run, independent of each other.
    order : int
        Highest power. It is for the caller to choose, and not by the smallest misfit: an intercept
        whose model was selected on the same runs has no honest error bar.

    Raises
    ------
    ValueError
        If the runs do not determine the fit and an error bar.

    Notes
    -----
    The error comes from the spread over seeds within a size, never from the misfit. With few runs
    at some size the variances are pooled as s^2/d^2; otherwise each size has its own and the
    degrees of freedom are Satterthwaite's.
    """
    groups = _group(np.asarray(d), np.asarray(deviations, dtype=float))
    sizes, counts = groups.sizes, groups.counts
    if len(sizes) <= order or counts.sum() <= len(sizes):
        raise ValueError(
            f"a fit of order {order} needs {order + 1} sizes and two runs at one of them"
        )
    weights = intercept_weights(sizes, counts, order)
    error, dof = groups.error_of(weights[0])
    coefficients = weights @ groups.means
    left_out = abs(float(weights[0] @ (1.0 / sizes) ** (order + 1)))
    return Extrapolation(
        intercept=float(coefficients[0]),
        standard_error=error,
        dof=dof,
        coefficients=tuple(float(value) for value in coefficients),
        order=order,
        goodness_of_fit=_next_power(groups, order),
        truncation=left_out * NEXT_COEFFICIENT * abs(float(coefficients[-1])),
        sizes=tuple(int(size) for size in sizes),
        counts=tuple(int(count) for count in counts),
        weights=tuple(float(weight) for weight in weights[0]),
        variances=tuple(float(variance) for variance in groups.variances),
    )


def _group(d: np.ndarray, deviations: np.ndarray) -> _Groups:
    sizes, inverse = np.unique(d, return_inverse=True)
    counts = np.bincount(inverse)
    means = np.bincount(inverse, weights=deviations) / counts
    squares = np.bincount(inverse, weights=(deviations - means[inverse]) ** 2)
    if counts.min() >= OWN_VARIANCE_RUNS:
        return _Groups(sizes, counts, means, squares / (counts - 1), None)
    dof = int(counts.sum() - len(sizes))
    scale = float((squares * sizes**2).sum()) / max(dof, 1)
    return _Groups(sizes, counts, means, scale / sizes**2, dof)


def _next_power(groups: _Groups, order: int) -> float:
    """p-value of the coefficient that a fit with one more power of 1/d would have."""
    if len(groups.sizes) < order + 2:
        return float("nan")
    weights = intercept_weights(groups.sizes, groups.counts, order + 1)[-1]
    error, dof = groups.error_of(weights)
    value = abs(float(weights @ groups.means))
    if error == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * stats.t.sf(value / error, dof))
