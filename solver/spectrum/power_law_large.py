"""Power-law targets to first order in 1/d: the semicircle plus each eigenvalue's response.

Where few of the d eigenvalues exceed the noise, mu_delta is the semicircle of the noise plus what
each eigenvalue adds to it (theory.md section 14). Eigenvalues of order delta enter one by one or
as nodes of an integral over their index, the others by power sums: d = 1e10 costs no more than
d = 1e4. What is left out is of relative order K/d and more, K the number of eigenvalues above the
noise: outliers repel each other, and the bulk moves. The exact law with groups says how much.
"""

from __future__ import annotations

import math

import numpy as np

from attlas.solver.spectrum.first_order import (
    LARGE,
    SMALL,
    Response,
    Series,
    angle,
    middle,
    semicircle,
)
from attlas.solver.spectrum.grouped import GroupedTargetLaw
from attlas.solver.spectrum.integrals import NAMES
from attlas.solver.spectrum.law import Truncated
from attlas.solver.spectrum.power_modes import PowerModes

#: Fewest eigenvalues left out of power sums, which start where Euler-Maclaurin has its digits.
_FEWEST = 100


def first_order(law: GroupedTargetLaw, delta: float, epsilon: float) -> Truncated:
    """Truncated integrals of semicircle plus responses; the errors are the exact differences.

    Parameters
    ----------
    law : GroupedTargetLaw
    delta : float
        Noise level, > 0.
    epsilon : float
        Threshold, > -2 delta.
    """
    modes, e = law.modes, epsilon / delta
    total = semicircle(e) + responses(modes, delta, e) * (1 / modes.d)
    t = delta * delta
    values = {
        "j": t * total.j,
        "j1": delta * (2 * total.j - e * total.j2 - total.strength),
        "j2": delta * total.j2,
        "mass": total.mass,
        "squared_error_part": t * total.mse - modes.moment(2),
        "squared_error": t * total.mse,
    }
    exact = law.noisy(delta).truncated(epsilon)
    errors = {
        f"{name}_error": abs(values[name] - getattr(exact, name)) + getattr(exact, f"{name}_error")
        for name in NAMES
    }
    return Truncated(epsilon=epsilon, **values, **errors)


def responses(modes: PowerModes, delta: float, e: float) -> Response:
    """The summed first-order responses of all eigenvalues, at delta = 1."""
    near_last = max(modes.count(SMALL * delta), min(_FEWEST, modes.d))
    far_last = modes.count(LARGE * delta)
    phi = angle(e)
    # Above the bulk the response starts where the outlier passes the threshold.
    bend = 1.0 if e < 2 else (e + math.sqrt(e * e - 4)) / 2
    finest = phi if phi > 0 else 1e-8
    series = Series(e)
    far, far_weights = modes.between(1, far_last, bend * delta, finest)
    near, near_weights = modes.between(far_last + 1, near_last, bend * delta, finest)
    powers = np.array(
        [
            (modes.scale / delta * (near_last + 1) ** -modes.gamma) ** k
            * _relative_tail(modes, k, near_last + 1)
            for k in range(25)
        ]
    )
    return (
        series.large(far / delta, far_weights)
        + middle(e, near / delta, near_weights)
        + series.small(powers)
    )


def _relative_tail(modes: PowerModes, k: int, first: int) -> float:
    """sum_(i >= first) (first/i)^(k gamma): of moderate size for every k."""
    return modes.tail(k * modes.gamma, first) * float(first) ** (k * modes.gamma)
