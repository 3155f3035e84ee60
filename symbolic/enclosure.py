"""Proven enclosures of roots in arb: a contraction for polynomials, a sign change for functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint

from attlas.symbolic.arithmetic import Arb, Mpmath


class NotEnclosed(ArithmeticError):
    """A root could not be enclosed at this precision."""


def all_roots(coefficients: Sequence[Any], numbers: Mpmath) -> list[Any]:
    """All complex roots of a polynomial with mpmath coefficients, from the constant term up.

    flint isolates them a thousand times faster than mpmath iterates; only a polynomial with a
    repeated root, which cannot be isolated, is left to mpmath.
    """
    context = numbers.context
    balls = Arb(2 * numbers.digits)
    with balls.precision():
        polynomial = flint.acb_poly([balls.read(value) for value in coefficients])
        try:
            tolerance = flint.arb(10) ** (-numbers.digits - 5)
            return [numbers.read(ball) for ball in polynomial.roots(tol=tolerance)]
        except ValueError:
            pass
    found = context.polyroots(list(coefficients)[::-1], maxsteps=500, extraprec=2 * context.prec)
    return [context.mpc(root) for root in found]


def polynomial_root(coefficients: Sequence[Any], near: Any) -> Any:
    """A ball proven to contain exactly one root of a polynomial.

    Parameters
    ----------
    coefficients : sequence of arb or acb
        From the constant term up; the ball holds a root for every choice inside them.
    near : acb or arb
        An approximation. A real approximation of a real polynomial gives a real ball.

    Raises
    ------
    NotEnclosed
        If Newton's operator does not map any tried ball into itself.
    """
    real = isinstance(near, flint.arb)
    centre = near.mid()
    ring = flint.arb_poly if real else flint.acb_poly
    value = ring(list(coefficients))
    slope = value.derivative()
    at_centre = value(centre)
    step = at_centre / slope(centre)
    reach = flint.arb(abs(step).upper())
    for widen in (2, 8, 64, 4096):
        radius = reach * widen + abs(flint.acb(centre)) * flint.arb(2) ** (8 - flint.ctx.prec)
        side = flint.arb(0, radius.upper())
        ball = centre + (side if real else flint.acb(side, side))
        divisor = slope(ball)
        if (divisor if real else abs(divisor)).contains(0):
            continue
        image = centre - at_centre / divisor
        if ball.contains(image):
            return image
    raise NotEnclosed(f"no ball around {near} is proven to hold a root")


def sign_change(function: Callable[[Any], Any], near: Any, digits: int) -> Any:
    """A ball around ``near`` at whose ends a continuous real function has opposite signs.

    Parameters
    ----------
    function : callable of arb
    near : arb
        An approximation of the root to about ``digits`` digits.
    digits : int

    Raises
    ------
    NotEnclosed
        If the signs at the ends are equal or undecided within eight digits of the precision asked.
    """
    centre = near.mid()
    for lost in range(0, 9, 2):
        radius = (abs(centre) + flint.arb(10) ** -digits) * flint.arb(10) ** (lost - digits)
        low, high = (centre - radius).mid(), (centre + radius).mid()
        at_low, at_high = function(low), function(high)
        if (at_low < 0 and at_high > 0) or (at_low > 0 and at_high < 0):
            return low.union(high)
    raise NotEnclosed(f"no sign change was proven around {near}")
