"""The double integral of the squared divided difference of the soft threshold."""

from __future__ import annotations

import math

import numpy as np

from attlas.solver.spectrum.law import NoisyLaw

PANEL_NODES = 16
CHUNK = 2_000_000
TINY = 1e-300


def mean_squared_slope(law: NoisyLaw, epsilon: float) -> float:
    """iint [((x - eps)_+ - (y - eps)_+)/(x - y)]^2 mu_delta(dx) mu_delta(dy).

    The replicon's matrix factor (theory.md section 10), accurate to 1e-8. Pairs on the same side
    of epsilon contribute the squared mass above it, or nothing; the mixed pairs are integrated
    with panels graded towards the corner x = y = epsilon.

    Parameters
    ----------
    law : NoisyLaw
        mu_delta.
    epsilon : float
        Threshold.
    """
    mass = law.truncated(epsilon).mass
    if mass == 0.0:
        return 0.0
    above = law.graded_nodes(epsilon, math.inf, PANEL_NODES, epsilon)
    below = law.graded_nodes(-math.inf, epsilon, PANEL_NODES, epsilon)
    mixed = 0.0
    rows = max(1, CHUNK // max(below.x.size, 1))
    # nodes may round onto epsilon itself, where the ratio is bounded and the weight negligible
    beneath = np.maximum(epsilon - below.x, TINY)
    for start in range(0, above.x.size, rows):
        x = np.maximum(above.x[start : start + rows] - epsilon, 0.0)
        ratio = x[:, None] / (x[:, None] + beneath)
        mixed += float(above.w[start : start + rows] @ ((ratio * ratio) @ below.w))
    return mass * mass + 2 * mixed
