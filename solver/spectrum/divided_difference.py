"""The double integral of the squared divided difference of the soft threshold."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from attlas.solver.spectrum.law import FloatArray, NoisyLaw

PANEL_NODES = 16
CHUNK = 2_000_000
TINY = 1e-300


def mean_squared_slope(law: NoisyLaw, epsilon: float, *, signed: bool = False) -> float:
    """iint [(f(x) - f(y))/(x - y)]^2 mu_delta(dx) mu_delta(dy) of the soft threshold f.

    The replicon's matrix factor (theory.md section 10), accurate to 1e-8. Pairs on the same side
    of a threshold contribute the squared mass beyond it, or nothing; the mixed pairs are
    integrated with panels graded towards the corner x = y = epsilon.

    Parameters
    ----------
    law : NoisyLaw
        mu_delta.
    epsilon : float
        Threshold; > 0 with ``signed``.
    signed : bool
        Whether f(x) is sign(x) (|x| - epsilon)_+, not (x - epsilon)_+.
    """
    inner = -epsilon if signed else -math.inf
    mass = law.truncated(epsilon).mass
    total, beyond = mass * mass, None
    if mass:
        above = law.graded_nodes(epsilon, math.inf, PANEL_NODES, epsilon)
        below = law.graded_nodes(inner, epsilon, PANEL_NODES, epsilon)
        beyond = np.maximum(above.x - epsilon, 0.0), above.w
        # nodes may round onto epsilon itself, where the ratio is bounded and the weight negligible
        total += 2 * _mixed(beyond, (np.maximum(epsilon - below.x, TINY), below.w))
    opposite = 1 - law.truncated(inner).mass if signed else 0.0
    if opposite > 0:
        under = law.graded_nodes(-math.inf, inner, PANEL_NODES, inner)
        over = law.graded_nodes(inner, epsilon, PANEL_NODES, inner)
        short = np.maximum(inner - under.x, 0.0), under.w
        total += opposite * opposite
        total += 2 * _mixed(short, (np.maximum(over.x - inner, TINY), over.w))
        if beyond is not None:
            total += 2 * _across(beyond, short, 2 * epsilon)
    return total


#: Distances beyond, or short of, a threshold, and their weights.
_Part = tuple[FloatArray, FloatArray]


def _mixed(beyond: _Part, short: _Part) -> float:
    """Mean of (a/(a + b))^2, a beyond the threshold and b short of it."""
    return _chunked(beyond, short, lambda a, b: a / (a + b))


def _across(beyond: _Part, under: _Part, gap: float) -> float:
    """Mean of ((a + b)/(a + b + gap))^2, beyond either threshold of a distance ``gap``."""
    return _chunked(beyond, under, lambda a, b: (a + b) / (a + b + gap))


def _chunked(
    rows: _Part, columns: _Part, ratio: Callable[[FloatArray, FloatArray], FloatArray]
) -> float:
    total, size = 0.0, max(1, CHUNK // max(columns[0].size, 1))
    for start in range(0, rows[0].size, size):
        part = slice(start, start + size)
        values = ratio(rows[0][part, None], columns[0])
        total += float(rows[1][part] @ ((values * values) @ columns[1]))
    return total
