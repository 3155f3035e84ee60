"""Tests of a deviation against a band, in both directions, and corrections for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class BandTest:
    """p-values that a deviation lies inside, and outside, a band."""

    p_inside: float
    p_outside: float


def band_test(
    deviation: float,
    standard_error: float,
    dof: float,
    low: float,
    high: float,
    systematic: float = 0.0,
) -> BandTest:
    """Two one-sided tests for equivalence, and the test for the opposite.

    Parameters
    ----------
    deviation, standard_error, dof : float
        Estimate, its standard error and the degrees of freedom of the latter.
    low, high : float
        The band, ``low < high``.
    systematic : float
        Systematic error of the deviation. It shrinks the band for agreement and widens it for
        disagreement, so that it never helps either verdict.

    Notes
    -----
    Inside: the larger of the two one-sided p-values (TOST). Outside: the p-value at the nearest
    edge of the band, the least favourable point of the hypothesis "inside".
    """
    inside = min(deviation - low, high - deviation) - systematic
    outside = max(low - deviation, deviation - high) - systematic
    return BandTest(
        p_inside=_upper_tail(inside, standard_error, dof),
        p_outside=_upper_tail(outside, standard_error, dof),
    )


def established(
    distance: float, standard_error: float, dof: float, level: float, systematic: float = 0.0
) -> float:
    """The equivalence test turned around: half-width of the narrowest band that runs establish.

    Parameters
    ----------
    distance : float
        Of the estimate from the middle of the band.
    standard_error, dof, systematic : float
        As of :func:`band_test`, whose ``p_inside`` is ``level`` for the band of this half-width.
    level : float
    """
    lost = standard_error * float(stats.t.isf(level, dof)) if standard_error else 0.0
    return abs(distance) + lost + systematic


def _upper_tail(distance: float, standard_error: float, dof: float) -> float:
    if standard_error == 0:
        return 0.0 if distance > 0 else 1.0
    return float(stats.t.sf(distance / standard_error, dof))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: the family-wise error rate is kept under any dependence.

    Parameters
    ----------
    p_values : sequence of float
        Raw p-values of one family.

    Returns
    -------
    list of float
        Adjusted p-values in the order given; reject where one is at most the level.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.tolist()


def step_up(p_values: Sequence[float]) -> list[float]:
    """Hochberg's adjusted p-values: where all pass alone, none pays for the others.

    Parameters
    ----------
    p_values : sequence of float
        Raw p-values of one family.

    Returns
    -------
    list of float
        Adjusted p-values in the order given; reject where one is at most the level. With r that
        do not pass, the others are tested at the level over r + 1.

    Notes
    -----
    The family-wise error rate is kept where Simes' inequality holds: for independent and for
    positively dependent p-values. For others it is simulated (tests/judge).
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(-p, kind="stable")
    stepped = np.minimum.accumulate(p[order] * np.arange(1, len(p) + 1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted.tolist()
