"""The predicted phases as numbers: which one a point is in, and its rate there."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from attlas.model import PowerLaw
from attlas.solver.scaling.dense import dense_error

#: Phases of noisy data, in the order of the plane.
KEYS = ("Ib", "II", "III", "IV", "V", "VIa", "VIb")


def rate(key: str, target: PowerLaw, n: float, lam: float, noise: float) -> float:
    """The squared error of a phase to leading order.

    Parameters
    ----------
    key : str
        A phase of :data:`attlas.symbolic.scaling.PHASES`.
    target : PowerLaw
        With eigenvalues sqrt(d) i^-gamma, not rescaled.
    n, lam, noise : float
    """
    return _function(key)(float(target.gamma), float(target.d), n, lam, noise)


def c_gamma(gamma: float) -> float:
    """The constant of phase IV."""
    from attlas.symbolic.scaling import C_GAMMA
    from attlas.symbolic.scaling import gamma as symbol

    return float(C_GAMMA.subs(symbol, gamma))


class Formula(NamedTuple):
    """A phase's exponent and its squared error at a point."""

    exponent: float
    mse: float


#: Half step in log alpha of the exponent of phase V's exact form.
_STEP = 0.01


def formula(key: str, target: PowerLaw, n: float, lam: float, noise: float) -> Formula:
    """What the numerical solution is compared with: the leading order, in phase V its exact form.

    Parameters
    ----------
    key : str
        A phase of :data:`attlas.symbolic.scaling.PHASES`.
    target : PowerLaw
        With eigenvalues sqrt(d) i^-gamma, not rescaled.
    n, lam, noise : float
    """
    if key != "V":
        return Formula(exponent(key, float(target.gamma)), rate(key, target, n, lam, noise))
    alpha = n / float(target.d) ** 2
    ahead, behind = (dense_error(alpha * math.exp(side * _STEP), noise) for side in (1, -1))
    return Formula(math.log(ahead / behind) / (2 * _STEP), dense_error(alpha, noise))


def exponent(key: str, gamma: float) -> float:
    """d log(squared error)/d log n of a phase; at the peak d log/d log lam."""
    from attlas.symbolic.scaling import PHASES, peak_variable
    from attlas.symbolic.scaling import gamma as symbol

    return float(PHASES[key].exponent(*peak_variable(key)).subs(symbol, gamma))


@cache
def _function(key: str) -> Any:
    import sympy as sp

    from attlas.symbolic.scaling import PHASES, VARIABLES

    return sp.lambdify(VARIABLES, PHASES[key].rate, "math")


class Emerging(NamedTuple):
    """When a mode detaches, when half of it is captured, and d captured/d log n there."""

    detaches: float
    half: float
    sharpness: float


def emergence_predicted(target: PowerLaw, mode: int, noise: float) -> Emerging:
    """Leading order for a mode (from 1) at lam_c; noise = 0 is the limit of no penalty."""
    key = "noisy" if noise > 0 else "noiseless"
    found = _emerging(key)(float(target.gamma), float(target.d), mode, noise)
    return Emerging(*map(float, found))


@cache
def _emerging(key: str) -> Any:
    import sympy as sp

    from attlas.symbolic import scaling

    gamma, d, *_, noise = scaling.VARIABLES
    found = scaling.EMERGENCE[key]
    return sp.lambdify(
        (gamma, d, scaling.mode, noise), [found.detaches, found.half, found.sharpness], "math"
    )


def boundary(name: str, target: PowerLaw, n: float, noise: float) -> float:
    """A boundary of the plane of phases: lam at n, or the n of one that holds for lam << lam_c.

    Parameters
    ----------
    name : str
        A key of :data:`attlas.symbolic.scaling.LAM_BOUNDARIES`, which are functions of n, or of
        :data:`attlas.symbolic.scaling.N_BOUNDARIES`.
    target : PowerLaw
        With eigenvalues sqrt(d) i^-gamma, not rescaled.
    n, noise : float
    """
    return float(_boundary(name)(float(target.gamma), float(target.d), n, noise))


@cache
def _boundary(name: str) -> Any:
    import sympy as sp

    from attlas.symbolic import scaling

    gamma, d, n, _, noise = scaling.VARIABLES
    expression = (scaling.LAM_BOUNDARIES | scaling.N_BOUNDARIES)[name]
    return sp.lambdify((gamma, d, n, noise), expression, "math")


def best_penalty(target: PowerLaw, n: float, noise: float) -> float:
    """lam_c = 4 sqrt(noise n/d^2): where the penalty alone cuts the bulk at its edge."""
    return boundary("lambda_c", target, n, noise)


def phase_of(target: PowerLaw, n: float, lam: float, noise: float) -> str:
    """The phase of a point by the inequalities of theory.md section 14, read as boundaries."""

    def at(name: str) -> float:
        return boundary(name, target, n, noise)

    if lam > at("nothing"):
        return "Ib"
    if lam > at("lambda_c"):
        return "III" if lam < at("last_mode") else "II"
    if n > at("all_modes"):
        return "VIb"
    if n > at("interpolation"):
        return "VIa"
    return "V" if n > at("dense") else "IV"
