# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportAttributeAccessIssue=false
"""The amount of noiseless data at which the band of the signal separates from that of the noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import Arithmetic
from attlas.symbolic.evaluate import Evaluator
from attlas.symbolic.free_convolution import WISHART, NumericLaw
from attlas.symbolic.once import once
from attlas.symbolic.thresholds.bands import CRITICAL_DELTA
from attlas.symbolic.thresholds.reduction import SAMPLE_EQUATION, SIGNAL_EQUATION
from attlas.symbolic.thresholds.root import solve_then_evaluate

#: Both sides of the ridgeless equation for Q at noise = 0, as one expression to vanish.
NOISELESS = SIGNAL_EQUATION.rhs - 1 - sym.kappa0

#: Where the two bands meet.
MEETING = sym.s / (1 - sym.kappa0 ** sp.Rational(1, 3))

#: The edge polynomial divided by (u - MEETING)^2: its roots are the outer edges.
OUTER_EDGES = sp.Poly(
    sym.delta**2 * sym.u**2 + 2 * sym.delta**2 * (MEETING - sym.s) * sym.u - (sym.s / MEETING) ** 2,
    sym.u,
)


class SplitLaw(NumericLaw):
    """The law where its two bands touch, at u = s/(1 - kappa0^(1/3)), as one band.

    The double root of the edge polynomial is known and divided out: a numerical one would keep
    half of the digits.
    """

    @once
    def _bands(self) -> list[tuple[tuple[Any, Any], tuple[Any, Any]]]:
        at = Evaluator(self._locator, self._located)
        slope, rest, constant = (at(part) for part in OUTER_EDGES.all_coeffs())
        half = self._locator.ratio(1, 2)
        root = self._locator.power(rest**2 - 4 * slope * constant, half)
        bottom, top = ((-rest + sign * root) / (2 * slope) for sign in (-1, 1))
        place = self.curve.position
        edges = [
            (Evaluator(self._locator, {**self._located, "u": u})(place), u) for u in (bottom, top)
        ]
        return [(edges[0], edges[1])]


def law_at_split(kappa0: Fraction, numbers: Arithmetic) -> NumericLaw:
    """The law of S0 + delta Z at the largest delta with two bands."""
    at = Evaluator(numbers, {"kappa0": kappa0})
    root = numbers.power(numbers.read(kappa0), numbers.ratio(1, 2))
    values = {"s": root, "delta": at(CRITICAL_DELTA), "kappa0": numbers.read(kappa0)}
    return SplitLaw(WISHART, values, numbers)


def split_epsilon(kappa0: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """epsilon of the ridgeless noiseless solution where the band splits."""
    return _at_split(kappa0, None, arithmetic, digits)


def bulk_split_value(kappa0: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """a = alpha D beyond which the ridgeless noiseless solution has two bands, 0 < kappa0 < 1.

    Parameters
    ----------
    kappa0 : exact number (int, Fraction, decimal or fraction string)
    arithmetic, digits : see ``perfect_recovery_value``

    Raises
    ------
    BadInput
        For kappa0 >= 1, where there is one band at every alpha.

    Notes
    -----
    theory.md sections 7 and 9: the noise level at which the bands touch, put into the two
    ridgeless equations.
    """
    return _at_split(kappa0, SAMPLE_EQUATION.rhs, arithmetic, digits)


def _at_split(kappa0: Any, result: Any, arithmetic: str, digits: int) -> Any:
    ratio = Fraction(kappa0)
    if not 0 < ratio < 1:
        raise BadInput(
            "kappa0",
            kappa0,
            "must be between 0 and 1 for a bulk to split off",
            "a target of full rank has one band at every alpha",
        )

    def equation(numbers: Arithmetic, epsilon: Any) -> Any:
        return law_at_split(ratio, numbers).evaluate(NOISELESS, epsilon)

    def wanted(numbers: Arithmetic, epsilon: Any) -> Any:
        return epsilon if result is None else law_at_split(ratio, numbers).evaluate(result, epsilon)

    return solve_then_evaluate(equation, _bracket(ratio), wanted, arithmetic, digits)


def _bracket(kappa0: Fraction) -> tuple[Fraction, Fraction]:
    """0, where the labels' strength exceeds Q, and a point above the top edge, where it is 0."""
    delta = (float(kappa0) ** (-1 / 3) - 1) ** 1.5
    top = (1 + float(kappa0) ** 0.5) ** 2 / float(kappa0) ** 0.5 + 2 * delta
    return Fraction(0), Fraction(2 * top)
