"""Exact numbers and balls as decimal text with a given number of significant digits."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
from fractions import Fraction
from typing import Any

#: Digits of a printed radius, rounded up.
_RADIUS_DIGITS = 3


def significant(value: Fraction, digits: int) -> str:
    """The value rounded to ``digits`` significant digits, trailing zeros kept."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=10**6, Emin=-(10**6))
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if rounded:
        # A quotient that ends early is padded to the digits asked for.
        places = rounded.adjusted() - digits + 1
        rounded = rounded.quantize(Decimal(1).scaleb(places, context), context=context)
    return f"{rounded:f}"


def upper_bound(value: Fraction) -> str:
    """A short decimal not below the value."""
    context = Context(prec=_RADIUS_DIGITS, rounding=ROUND_UP, Emax=10**6, Emin=-(10**6))
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)):e}"


def exact_value(number: Any) -> Fraction:
    """An mpmath number as the fraction that it is."""
    sign, mantissa, exponent, _ = number._mpf_
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -value if sign else value


def exact_ball(ball: Any) -> tuple[Fraction, Fraction]:
    """Midpoint and radius of an arb as fractions."""
    return _fraction(ball.mid()), _fraction(ball.rad())


def _fraction(point: Any) -> Fraction:
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
