"""Exact numbers: every parameter is kept as a fraction, never rounded through a float."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from attlas.model.errors import BadInput

#: What a parameter may be given as.
Number = int | float | str | Fraction | Decimal


#: Powers of numbers outside this range would overflow or vanish in double precision.
LARGEST = Fraction(10) ** 50
SMALLEST = 1 / LARGEST
#: Digits of a number: more than any threshold is computed to, and few enough to reckon with.
MOST_DIGITS = 1100
#: A decimal as attlas reads one. Python's own reader takes 0_0.01 and digits of every script.
_DECIMAL = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def exact(parameter: str, value: Any) -> Fraction:
    """Read a number without rounding it.

    A float stands for the shortest decimal that prints as it, so that ``0.1`` means 1/10 and
    fifty digits of a threshold at ``kappa0=0.1`` are the digits at one tenth.

    Parameters
    ----------
    parameter : str
        Name used in the error, as on the command line.
    value : int, float, str, Fraction, Decimal or any numpy scalar
        Strings may be decimals (``"0.25"``, ``"1e-3"``) or fractions (``"1/3"``).

    Raises
    ------
    BadInput
        If the value is not a finite number, has more than 1100 digits, or its size is not between
        1e-50 and 1e50.
    """
    number = _fraction(value)
    if _digits(value) > MOST_DIGITS:
        raise BadInput(parameter, value, f"must have at most {MOST_DIGITS} digits")
    if number is None:
        valid = "must be a finite number (a decimal such as 0.25 or a fraction such as 1/3)"
        raise BadInput(parameter, value, valid)
    if number and not SMALLEST <= abs(number) <= LARGEST:
        raise BadInput(parameter, value, "must be of a size between 1e-50 and 1e50")
    return number


@dataclass(frozen=True)
class Surd:
    """factor times the square root of a fraction >= 0, exactly."""

    factor: Fraction
    radicand: Fraction = Fraction(1)

    def __float__(self) -> float:
        return math.sqrt(self.radicand) * float(self.factor)


def _fraction(value: Any) -> Fraction | None:
    if isinstance(value, bool | bytes | bytearray) or str(getattr(value, "dtype", "")) == "bool":
        return None
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if isinstance(value, Decimal):
        return _from_decimal(value)
    if isinstance(value, str):
        top, slash, bottom = value.partition("/")
        numerator = _from_text(top)
        denominator = _from_text(bottom) if slash else Fraction(1)
        return numerator / denominator if numerator is not None and denominator else None
    try:
        return _from_text(repr(float(value)))
    except (TypeError, ValueError):
        return None


def is_decimal(text: str) -> bool:
    """Whether text is a decimal number: ASCII digits, a point, an exponent, and not too long."""
    return len(text) <= MOST_DIGITS and _DECIMAL.fullmatch(text) is not None


def _digits(value: Any) -> int:
    """Digits of a number or characters of a text, without writing them out."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits)
    if isinstance(value, int | Fraction):
        bits = max(abs(value.numerator).bit_length(), value.denominator.bit_length())
        return bits * 3 // 10
    return 0


def _from_text(text: str) -> Fraction | None:
    try:
        return _from_decimal(Decimal(text.strip())) if is_decimal(text) else None
    except InvalidOperation:
        return None


def _from_decimal(number: Decimal) -> Fraction | None:
    if not number.is_finite():
        return None
    if number and abs(number.adjusted()) > 100:
        # Out of range in any case; writing out its zeros could fill the memory.
        return Fraction(10) ** (100 if number.adjusted() > 0 else -100)
    return Fraction(number)


def positive(parameter: str, value: Any) -> Fraction:
    """Read a number that must be greater than zero."""
    number = exact(parameter, value)
    if number <= 0:
        raise BadInput(parameter, value, "must be greater than 0")
    return number


def non_negative(parameter: str, value: Any) -> Fraction:
    """Read a number that must not be less than zero."""
    number = exact(parameter, value)
    if number < 0:
        raise BadInput(parameter, value, "must be 0 or greater")
    return number


def whole(parameter: str, value: Any, at_least: int, at_most: int | None = None) -> int:
    """Read a whole number with a lower bound, and an upper one where there is one."""
    number = exact(parameter, value)
    if number.denominator != 1 or number < at_least or (at_most is not None and number > at_most):
        bounds = f", {at_least} or more" if at_most is None else f" from {at_least} to {at_most}"
        raise BadInput(parameter, value, f"must be a whole number{bounds}")
    return int(number)


def several(parameter: str, values: Any) -> list[Any]:
    """The values of an axis or a path, unread; text is no list of its characters.

    Raises
    ------
    BadInput
    """
    try:
        found = None if isinstance(values, str | bytes) else list(values)
    except TypeError:
        found = None
    if found is None:
        raise BadInput(parameter, values, "must be a list of values")
    return found


def decimal_text(number: Fraction) -> str:
    """Write a fraction so that :func:`exact` reads it back unchanged.

    Decimals where the fraction has a short finite one (``0.25``), otherwise ``"1/3"``.
    """
    denominator = number.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator == 1:
        near = float(number)
        if Fraction(Decimal(repr(near))) == number:
            return str(int(near)) if number.denominator == 1 and abs(near) < 1e15 else repr(near)
    return str(number)
