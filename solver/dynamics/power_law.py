"""The power law in time of a power-law target, as a number."""

from __future__ import annotations

from functools import cache
from math import exp
from typing import Any

from scipy.special import lambertw

from attlas.model import PowerLaw
from attlas.model.errors import BadInput


def power_law(target: PowerLaw, t: float, sigma0: float, slope: float = -4.0) -> float:
    """The squared error of the flow without decay, while it is a power of t.

    Parameters
    ----------
    target : PowerLaw
        With eigenvalues sqrt(d) i^-gamma, not rescaled.
    t : float > 0
    sigma0 : float > 0
        S = sigma0 I at t = 0.
    slope : float < 0
        e_m, the slope of the population loss in m: -4 for one token.

    Raises
    ------
    BadInput
        For a time before any mode can have escaped.

    Notes
    -----
    theory.md section 20: modes above s* = L/(2B) are learned, L = log(s*/sigma0), B = |e_m| t; with
    the correction 1 - (2 - 1/gamma)/L.
    """
    growth = 2 * abs(slope) * t * sigma0
    if growth >= 1 / exp(1):
        raise BadInput("sigma0", sigma0, f"must be below {1 / (2 * exp(1) * abs(slope) * t):.3g}")
    length = -float(lambertw(-growth, -1).real)
    power, exponent = _power()(length / (2 * abs(slope) * t), float(target.gamma), float(target.d))
    return power * (1 - exponent / length)


@cache
def _power() -> Any:
    import sympy as sp

    from attlas.symbolic.dynamics import EXPONENT, POWER, d, gamma, level

    return sp.lambdify((level, gamma, d), (POWER, EXPONENT), "math")
