"""Interval Newton: an enclosed root is unique where the slope over its ball excludes zero.

The ball of a root is one at whose ends the equation has proven, opposite signs; a slope without
zeros over the whole ball then makes Newton's operator a contraction there, and the root unique.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attlas.symbolic.free_convolution import Law


def _excludes_zero(ball: Any) -> bool:
    return not ball.contains(0)


def interpolation_is_unique(law: Law, noise: Fraction, digits: int) -> bool:
    """For delta at the interpolation threshold."""
    from attlas.symbolic import notation as sym
    from attlas.symbolic.arithmetic import Arb
    from attlas.symbolic.thresholds import noise_level
    from attlas.symbolic.thresholds.interpolation import LABEL_STRENGTH
    from attlas.symbolic.thresholds.slopes import total_derivative

    delta = noise_level(law, noise, "arb", digits)
    numbers = Arb(digits)
    with numbers.precision():
        slope = total_derivative(law.curve, LABEL_STRENGTH, sym.delta)
        return _excludes_zero(law.noisy(numbers, delta).evaluate(slope, 0))


def split_is_unique(kappa0: Fraction, digits: int) -> bool:
    """For epsilon where the bulk splits off."""
    from attlas.symbolic import notation as sym
    from attlas.symbolic.arithmetic import Arb
    from attlas.symbolic.free_convolution import WISHART
    from attlas.symbolic.thresholds.bulk_split import NOISELESS, law_at_split, split_epsilon
    from attlas.symbolic.thresholds.slopes import total_derivative

    epsilon = split_epsilon(kappa0, "arb", digits)
    numbers = Arb(digits)
    with numbers.precision():
        slope = total_derivative(WISHART, NOISELESS, sym.epsilon)
        return _excludes_zero(law_at_split(kappa0, numbers).evaluate(slope, epsilon))


def recovery_is_unique(kappa0: Fraction, freedom: int, digits: int) -> bool:
    """For theta at perfect recovery below kappa0 = 1."""
    import sympy as sp

    from attlas.symbolic import notation as sym
    from attlas.symbolic.arithmetic import Arb
    from attlas.symbolic.thresholds.perfect_recovery import RATIO
    from attlas.symbolic.thresholds.root import as_function, solve_then_evaluate

    given = {"kappa0": kappa0}
    equation = (freedom * (1 - sym.kappa0) * RATIO - sym.kappa0) * sp.cos(sym.theta)
    bracket = (Fraction(0), Fraction(11, 7))
    theta = solve_then_evaluate(
        as_function(equation, sym.theta, given), bracket, lambda _, at: at, "arb", digits
    )
    slope = as_function(sp.diff(equation, sym.theta), sym.theta, given)
    numbers = Arb(digits)
    with numbers.precision():
        return _excludes_zero(slope(numbers, theta))


def closed_form(digits: int) -> bool:  # noqa: ARG001
    """A value in closed form is unique."""
    return True


def proof(function: Callable[..., bool], *parameters: Any) -> Callable[[int], bool]:
    """A proof of uniqueness at given parameters, as a function of the digits."""
    return partial(function, *parameters)
