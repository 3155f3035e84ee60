"""Deviations at finite d, extrapolated to d -> infinity with an error from seeds alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

#: From this many runs at every size on, each size keeps its own variance; below, they are pooled.
OWN_VARIANCE_RUNS = 5

#: A power of 1/d left out of the fit is allowed a coefficient this many times the last one kept.
NEXT_COEFFICIENT = 3.0

#: A size whose runs happen to scatter less than this fraction of the widest variance is given it.
_SMALLEST_VARIANCE = 1e-6

#: Relative misfit of runs without scatter that is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Misfit:
    """Lack of fit against the scatter over seeds.

    Attributes
    ----------
    chi_square : float
        Squared distances of the means from the best curve of the fit's form, over the variances
        of the means.
    dof : int
        Sizes less coefficients.
    p : float
        Chance of a larger chi-square if the form is right; NaN without degrees of freedom.
    """

    chi_square: float = 0.0
    dof: int = 0
    p: float = math.nan


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
    misfit : Misfit
        How well the means at the sizes lie on the fit.
    residual : float
        Largest distance of a mean from the fit.
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
    misfit: Misfit
    residual: float
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
    fitted = (1.0 / sizes)[:, None] ** np.arange(order + 1) @ coefficients
    left_out = abs(float(weights[0] @ (1.0 / sizes) ** (order + 1)))
    return Extrapolation(
        intercept=float(coefficients[0]),
        standard_error=error,
        dof=dof,
        coefficients=tuple(float(value) for value in coefficients),
        order=order,
        misfit=_misfit(groups, order),
        residual=float(np.abs(groups.means - fitted).max()),
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


def _misfit(groups: _Groups, order: int) -> Misfit:
    """Chi-square of the fit and its p-value.

    The variances are estimates: pooled ones make it an F test, those of each size Johansen's
    (Biometrika 67, 1980, 85), which is Welch's for a constant and exact in the mean.
    """
    dof = len(groups.sizes) - order - 1
    if dof == 0:
        return Misfit()
    largest = float(groups.variances.max())
    if largest == 0:
        return _exact_misfit(groups, order, dof)
    variances = np.maximum(groups.variances, _SMALLEST_VARIANCE * largest)
    root = np.sqrt(groups.counts / variances)
    design = root[:, None] * (1.0 / groups.sizes)[:, None] ** np.arange(order + 1)
    basis, _ = np.linalg.qr(design)
    scaled = root * groups.means
    chi_square = float(np.square(scaled - basis @ (basis.T @ scaled)).sum())
    if groups.pooled_dof is not None:
        return Misfit(chi_square, dof, float(stats.f.sf(chi_square / dof, dof, groups.pooled_dof)))
    free = 1 - np.square(basis).sum(axis=1)
    spread = float((free**2 / (groups.counts - 1)).sum())
    scale = dof + 2 * spread - 6 * spread / (dof + 2)
    second = dof * (dof + 2) / (3 * spread)
    return Misfit(chi_square, dof, float(stats.f.sf(chi_square / scale, dof, second)))


def _exact_misfit(groups: _Groups, order: int, dof: int) -> Misfit:
    """Runs without scatter, which lie on the fit or do not."""
    design = (1.0 / groups.sizes)[:, None] ** np.arange(order + 1)
    residual = groups.means - design @ (np.linalg.pinv(design) @ groups.means)
    on_it = np.abs(residual).max() <= _ROUNDING * np.abs(groups.means).max()
    return Misfit(0.0, dof, 1.0) if on_it else Misfit(math.inf, dof, 0.0)
