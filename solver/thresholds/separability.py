"""The amount of data whose drawn labels can be fitted without error (theory.md section 18)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit, ndtr

from attlas.model import Problem
from attlas.model.channels import label_strength
from attlas.model.errors import BadInput
from attlas.solver.spectrum import target_law
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult
from attlas.solver.thresholds.uniqueness import closed_form

_MOST_DIGITS = 15
#: log of the noise level over sqrt(Q0), where the best one is looked for, and its tolerance: the
#: ratio is flat there, so that it is exact to the square of that.
_LEVELS, _LEVEL_TOL = (-8.0, 9.0), 1e-7
#: Half the width of the trapezoidal rule, in deviations; steps by which the integrand's poles and
#: its bell leave errors of 1e-15; most steps. The search takes a coarser rule, the answer a finer
#: one beside it for its error bar.
_REACH, _POLE_STEP, _BELL_STEP, _MOST_STEPS = 8.3, 0.3, 0.6, 301
_COARSER, _FINER = 1.6, 0.75
#: Gauss-Legendre nodes of the chance that both choices are missed.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_STATEMENT = (
    "For lam -> 0+ the labels that are drawn can be fitted without error up to this alpha: q "
    "diverges, and S tends in direction to the map of the widest margin. Beyond, q stays finite."
)


@dataclass(frozen=True)
class Separable:
    """The threshold in double precision, its error bar, and what the widest margin is like.

    Attributes
    ----------
    alpha, error : float
    delta : float
        Noise of the map in units of the teacher: its direction is that of (S0 + delta Z)_+.
    rho : float
        m/sqrt(Q q) of that direction.
    """

    alpha: float
    error: float
    delta: float
    rho: float


def separability(asked: Question) -> ThresholdResult:
    """The largest alpha at which some map puts every drawn label first.

    Raises
    ------
    BadInput
        Without a whole problem, where its labels or scores are others than those that are
        covered, and for more digits than double precision has.
    """
    problem = asked.problem
    if problem is None:
        raise BadInput(
            "problem", None, "is needed for the threshold separability", "give its `beta0` as well"
        )
    channel: Any = problem.channel
    if not hasattr(channel, "beta0"):
        valid = "must have labels drawn from a softmax for the threshold separability"
        raise BadInput("channel", channel.name, valid, "take `channel=next-token`")
    penalty = problem.estimator.penalty
    if penalty is None or penalty.limited:
        valid = "must train a map of any rank for the threshold separability"
        raise BadInput("training", problem.estimator.name, valid)
    choices = problem.scores.keys if asked.freedom > 1 else channel.tokens
    if choices != 2:
        name = "keys" if asked.freedom > 1 else "tokens"
        raise BadInput(name, choices, "must be 2 for the threshold separability")
    if asked.freedom > 1:
        from attlas.symbolic.thresholds import rows_value

        given = _of_rows(problem)
        # The least value of a convex function: its derivative has one zero.
        return asked.answer(partial(rows_value, *given), closed_form, _STATEMENT)
    if asked.digits > _MOST_DIGITS or asked.certify:
        raise BadInput(
            "digits" if asked.digits > _MOST_DIGITS else "certify",
            asked.digits if asked.digits > _MOST_DIGITS else asked.certify,
            "the separability of a symmetric map is computed in double precision",
            "ask for 15 digits without a certificate, or take `training=untied`",
        )
    found = separable(problem)
    return asked.limited(found.alpha, found.error, _STATEMENT)


def independent_rows(problem: Problem) -> float:
    """The threshold if a symmetric map's rows of scores were those of any map of as many entries.

    It misses the cone, and what the scores of one sample share.
    """
    from attlas.symbolic.thresholds import rows_value

    value = rows_value(*_of_rows(problem), arithmetic="float64", digits=15)
    return float(value) / (2 * problem.label_rank)


def _of_rows(problem: Problem) -> tuple[Fraction, Fraction]:
    """2 beta0^2 Q and Q/Q0 - 1."""
    channel: Any = problem.channel
    q0 = Fraction(target_law(problem.target).q0)
    labels = label_strength(q0, channel.noise)
    return 2 * channel.beta0**2 * labels, labels / q0 - 1


def separable(problem: Problem, far: Callable[..., float] | None = None) -> Separable:
    """The threshold of a symmetric map and two tokens, for any target, in double precision.

    Parameters
    ----------
    problem : Problem
    far : callable, optional
        In place of :func:`distance`.
    """
    assert problem.estimator.penalty is not None
    law, positive = target_law(problem.target), problem.estimator.penalty.positive
    channel: Any = problem.channel
    labels = label_strength(law.q0, float(channel.noise))
    sharpness = float(channel.beta0) * math.sqrt(labels)
    measure = far or distance

    def at(level: float, finer: float = 1.0) -> tuple[float, float, float]:
        """The ratio, rho, and the relative error of the spectral integrals."""
        delta = math.exp(level) * math.sqrt(law.q0)
        j, j1, error = law.q0 + delta**2, 2 * delta, 0.0
        if positive:
            found = law.noisy(delta).truncated(0.0)
            j, j1 = found.j, found.j1
            error = found.j_error / j + 2 * found.j1_error / j1
        rho = (2 * j - delta * j1) / (2 * math.sqrt(labels * j))
        return j1**2 / (8 * j * measure(rho, sharpness, finer)), rho, error

    best: Any = minimize_scalar(
        lambda level: -at(level, _COARSER)[0],
        bounds=_LEVELS,
        method="bounded",
        options={"xatol": _LEVEL_TOL},
    )
    level = float(best.x)
    (coarse, _, _), (alpha, rho, error) = at(level), at(level, _FINER)
    missed = abs(at(level + 10 * _LEVEL_TOL, _FINER)[0] - alpha)
    return Separable(
        alpha=alpha,
        error=abs(alpha - coarse) + alpha * (error + 2.0**-48) + missed,
        delta=math.exp(level) * math.sqrt(law.q0),
        rho=rho,
    )


def distance(rho: float, sharpness: float, finer: float = 1.0) -> float:
    """D: the mean squared distance of scores of q = 1 to those that put the drawn labels first.

    Parameters
    ----------
    rho : float
        Correlation with the scores behind the labels.
    sharpness : float
        beta0 sqrt(Q).
    finer : float
        Factor on the step of the trapezoidal rule over the teacher's two choices.
    """
    rest = math.sqrt(1 - rho**2)
    step = min(_POLE_STEP / max(sharpness, 0.3), _BELL_STEP * rest) * finer
    count = min(_MOST_STEPS, 2 * math.ceil(_REACH / step) + 1)
    x = np.linspace(-_REACH, _REACH, count)
    here, there = (axis.ravel() for axis in np.meshgrid(x, x))
    inside = here**2 + there**2 <= _REACH**2
    here, there = here[inside], there[inside]
    bell = np.exp(-(here**2 + there**2) / 2) * (x[1] - x[0]) ** 2 / (2 * math.pi)
    total = 0.0
    for r in (1 / 3, -1 / 3):
        # Labels alike, or not: the second choice is r times the first, and what is independent.
        first, second = here, r * here + math.sqrt(1 - r**2) * there
        chance = expit(math.sqrt(3) * sharpness * first) * expit(math.sqrt(3) * sharpness * second)
        squared = _to_corner(rho / rest * first, rho / rest * second, r)
        total += 2 * float(bell @ (chance * squared))
    return rest**2 * total


def _to_corner(first: NDArray[np.float64], second: NDArray[np.float64], r: float) -> NDArray:
    """``corner_distance`` of the derivation, elementwise, at means of both choices."""
    from attlas.symbolic.evaluate import evaluate
    from attlas.symbolic.thresholds.separability import corner_distance

    root = math.sqrt(1 - r**2)
    values = {"xi_1": (first - r * second) / root, "xi_2": (second - r * first) / root}
    return evaluate(corner_distance(), {**values, "r": r}, functions={"Both": _both_below})


def _both_below(x: NDArray[np.float64], y: NDArray[np.float64], r: float) -> NDArray[np.float64]:
    chance = ndtr(x) * ndtr(y)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        s = r * (1 + node) / 2
        bell = np.exp(-(x**2 - 2 * s * x * y + y**2) / (2 * (1 - s**2)))
        chance += r * weight * bell / (4 * math.pi * math.sqrt(1 - s**2))
    return chance
