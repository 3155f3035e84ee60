"""Numbers from a parametric form: solve one equation for the parameter, then evaluate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from attlas.symbolic.arithmetic import Arithmetic, Mpmath, arithmetic_named
from attlas.symbolic.enclosure import NotEnclosed, sign_change
from attlas.symbolic.evaluate import Evaluator

#: A function of the parameter, evaluated in a given arithmetic.
NumericFunction = Callable[[Arithmetic, Any], Any]

#: Guard digits tried in turn: cancellation near a limit is met by more precision.
_GUARDS = (15, 40, 100, 250, 600)


def as_function(
    expression: sp.Basic, unknown: sp.Symbol, values: Mapping[str, Any]
) -> NumericFunction:
    """An expression as a function of one of its symbols."""

    def function(numbers: Arithmetic, at: Any) -> Any:
        return Evaluator(numbers, {**values, unknown.name: at})(expression)

    return function


def solve_then_evaluate(
    equation: NumericFunction,
    bracket: tuple[Fraction, Fraction],
    result: NumericFunction,
    arithmetic: str,
    digits: int,
) -> Any:
    """The value of ``result`` where ``equation`` changes sign.

    Parameters
    ----------
    equation, result : NumericFunction
        Continuous in the parameter; ``equation`` has one sign change in the bracket.
    bracket : pair of Fraction
        Ends where ``equation`` has opposite signs.
    arithmetic : {"float64", "mpmath", "arb"}
        In arb the sign change is proven and the result is a ball containing the exact value. In
        mpmath two runs at different precision must agree to ``digits``. float64 is the rounding
        of such a value.
    digits : int

    Raises
    ------
    ArithmeticError
        If the digits are not reached.
    """
    if arithmetic == "arb":
        return _enclosed(equation, bracket, result, digits)
    asked = 20 if arithmetic == "float64" else digits
    before = None
    for guard in _GUARDS:
        numbers = Mpmath(asked + guard)
        root = _locate(equation, numbers, bracket, asked + guard)
        bracket = _narrowed(equation, numbers, root, bracket, asked)
        value = result(numbers, root)
        if before is not None and abs(value - before) <= numbers.read(10) ** (-asked) * abs(value):
            return float(value) if arithmetic == "float64" else numbers.finish(value)
        before = value
    raise ArithmeticError(f"{asked} digits were not reached")


def _enclosed(
    equation: NumericFunction,
    bracket: tuple[Fraction, Fraction],
    result: NumericFunction,
    digits: int,
) -> Any:
    for guard in _GUARDS:
        locator = Mpmath(digits + guard)
        near = _locate(equation, locator, bracket, digits + guard)
        bracket = _narrowed(equation, locator, near, bracket, digits)
        numbers = arithmetic_named("arb", digits + guard)
        with numbers.precision():
            try:
                ball = sign_change(
                    lambda at, numbers=numbers: equation(numbers, at),
                    numbers.read(near),
                    digits + guard // 2,
                )
            except NotEnclosed:
                continue
            value = numbers.finish(result(numbers, ball))
            if value.rel_accuracy_bits() > 3.33 * digits:
                return value
    raise NotEnclosed(f"{digits} digits were not proven")


def _locate(
    equation: NumericFunction,
    numbers: Mpmath,
    bracket: tuple[Any, Any],
    digits: int,
) -> Any:
    """The root to ``digits`` digits: false position with halved weights (Illinois), and a
    bisection whenever three steps have not halved the bracket."""
    low, high = (numbers.read(end) for end in bracket)
    at_low, at_high = equation(numbers, low), equation(numbers, high)
    if at_low * at_high > 0:
        raise ArithmeticError(f"no sign change between {low} and {high}")
    tolerance = numbers.read(10) ** (-digits)
    side, width = 0, abs(high - low)
    for count in range(20 * digits):
        middle = (at_high * low - at_low * high) / (at_high - at_low)
        if count % 3 == 2:
            if abs(high - low) > width / 2:
                middle, side = (low + high) / 2, 0
            width = abs(high - low)
        value = equation(numbers, middle)
        moved = min(abs(high - middle), abs(low - middle))
        if value == 0 or moved <= tolerance * abs(middle):
            return middle
        if value * at_high > 0:
            high, at_high = middle, value
            at_low = at_low / 2 if side < 0 else at_low
            side = -1
        else:
            low, at_low = middle, value
            at_high = at_high / 2 if side > 0 else at_high
            side = 1
    raise ArithmeticError(f"no root located to {digits} digits")


def _narrowed(
    equation: NumericFunction,
    numbers: Mpmath,
    root: Any,
    bracket: tuple[Any, Any],
    digits: int,
) -> tuple[Any, Any]:
    """A bracket that is tight around a located root, if its sign change confirms it."""
    reach = abs(root) * numbers.read(10) ** (-(digits // 2))
    ends = (numbers.finish(root - reach), numbers.finish(root + reach))
    signs = [equation(numbers, numbers.read(end)) for end in ends]
    return ends if signs[0] * signs[1] < 0 else bracket
