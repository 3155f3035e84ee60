"""The same denoising problem on a diagonal model: LASSO with power-law coefficients.

y = X theta + noise with n rows of d independent standard Gaussian entries and theta_i = i^-gamma.
The LASSO estimate is soft(theta_i + sigma z, zeta), sigma^2 = (noise + R)/n, where R is its
squared error: state evolution with the absolute value in place of the nuclear norm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from attlas.solver.fixed_point import LeftDomain

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lasso:
    """The solution at one n.

    Attributes
    ----------
    mse : float
        Sum over i of the squared error.
    threshold : float
        zeta.
    penalty : float
        t of (1/2n)|y - X theta|^2 + t |theta|_1.
    """

    mse: float
    threshold: float
    penalty: float


def lasso_at(theta: Array, n: float, noise: float, threshold: float) -> Lasso:
    """The solution at a threshold zeta.

    Parameters
    ----------
    theta : array (d,)
        Not negative.
    n : float
        Samples.
    noise : float
        Variance, > 0.
    threshold : float
        >= 0.

    Raises
    ------
    ValueError
        Where the error has no finite solution: fewer samples than non-zero estimates.
    LeftDomain
        Where it is lost beside the noise.
    """

    def excess(log_mse: float) -> float:
        mse = math.exp(log_mse)
        return _risk(theta, math.sqrt((noise + mse) / n), threshold)[0] - mse

    top = math.log(2 * float(theta @ theta) + noise)
    if excess(top) > 0:
        raise ValueError("the squared error of the LASSO has no finite solution here")
    bottom = top - 60
    if excess(bottom) < 0:
        raise LeftDomain("the squared error is beyond double precision beside the noise")
    mse = math.exp(float(brentq(excess, bottom, top, xtol=1e-13, rtol=1e-13)))  # type: ignore[arg-type]
    _, kept = _risk(theta, math.sqrt((noise + mse) / n), threshold)
    return Lasso(mse, threshold, threshold * (1 - kept / n))


def lasso_best(theta: Array, n: float, noise: float) -> Lasso:
    """The solution at the threshold of least squared error."""
    scale = math.sqrt(noise / n)

    def error(log_ratio: float) -> float:
        return lasso_at(theta, n, noise, scale * math.exp(log_ratio)).mse

    found = minimize_scalar(error, bounds=(-7, 3), method="bounded", options={"xatol": 1e-7})
    return lasso_at(theta, n, noise, scale * math.exp(float(found.x)))  # type: ignore[attr-defined]


def _risk(theta: Array, sigma: float, zeta: float) -> tuple[float, float]:
    """Squared error and number of non-zero estimates of soft(theta + sigma z, zeta)."""
    risk = kept = np.zeros_like(theta)
    for side in (1.0, -1.0):
        edge = (zeta - side * theta) / sigma
        density = np.exp(-(edge**2) / 2) / math.sqrt(2 * math.pi)
        beyond = ndtr(-edge)
        risk = risk + sigma**2 * (edge * density + beyond) - 2 * sigma * zeta * density
        risk = risk + zeta**2 * beyond
        kept = kept + beyond
    return float((risk + theta**2 * (1 - kept)).sum()), float(kept.sum())
