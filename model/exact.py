"""Exact numbers: every parameter is kept as a fraction, never rounded through a float."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from model.errors import BadInput

#: What a parameter may be given as.
Number = int | float | str | Fraction | Decimal


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
        If the value is not a finite number.
    """
    valid = "must be a finite number (a decimal such as 0.25 or a fraction such as 1/3)"
    if isinstance(value, bool):
        raise BadInput(parameter, value, valid)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, int):
        return Fraction(value)
    if isinstance(value, str):
        return _from_text(parameter, value, valid)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise BadInput(parameter, value, valid)
        return Fraction(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(parameter, value, valid) from None
    if not math.isfinite(number):
        raise BadInput(parameter, number, valid)
    return Fraction(Decimal(repr(number)))


def _from_text(parameter: str, text: str, valid: str) -> Fraction:
    stripped = text.strip()
    try:
        if "/" in stripped:
            top, _, bottom = stripped.partition("/")
            return Fraction(Decimal(top.strip())) / Fraction(Decimal(bottom.strip()))
        decimal = Decimal(stripped)
        if not decimal.is_finite() or abs(decimal.adjusted()) > 10_000:
            raise BadInput(parameter, text, valid)
        return Fraction(decimal)
    except (InvalidOperation, ValueError, ZeroDivisionError, OverflowError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(parameter, text, valid) from None


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


def whole(parameter: str, value: Any, at_least: int) -> int:
    """Read a whole number with a lower bound."""
    number = exact(parameter, value)
    if number.denominator != 1 or number < at_least:
        raise BadInput(parameter, value, f"must be a whole number, {at_least} or more")
    return int(number)


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
