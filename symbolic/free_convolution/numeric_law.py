"""The law of S0 + delta Z at given parameters, in any arithmetic, through the closed forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import flint
import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import GUARD_DIGITS, Arithmetic, Mpmath, arithmetic_named
from attlas.symbolic.enclosure import all_roots, polynomial_root
from attlas.symbolic.evaluate import Evaluator
from attlas.symbolic.free_convolution.closed_forms import ClosedForms, closed_forms
from attlas.symbolic.free_convolution.curve import Curve
from attlas.symbolic.once import once


class NumericLaw:
    """Edges, transform, density, J and its derivatives of a target at one noise level.

    Parameters
    ----------
    curve : Curve
    values : mapping of str to number
        ``delta`` > 0 and the target's parameters (``s`` for Wishart), exact or in the arithmetic.
    arithmetic : {"float64", "mpmath", "arb"}, or an Arithmetic
        In arb all results are proven enclosures, the roots behind them included.
    digits : int
        Ignored where an Arithmetic is given: it has its own.
    """

    def __init__(
        self,
        curve: Curve,
        values: Mapping[str, Any],
        arithmetic: str | Arithmetic = "mpmath",
        digits: int = 50,
    ) -> None:
        self.curve = curve
        self.values = dict(values)
        # Inside a larger computation numbers must stay in the arithmetic's own context: mpmath
        # rounds a sum of two contexts to the precision of the first.
        self._finish = not isinstance(arithmetic, Arithmetic)
        if isinstance(arithmetic, str):
            arithmetic = arithmetic_named(arithmetic, digits)
        self.numbers = arithmetic
        self.digits = digits = arithmetic.digits
        #: Roots are located with more digits than asked: two may nearly coincide at an edge.
        self._locator = Mpmath(digits + 3 * GUARD_DIGITS)
        self._located = {name: self._locator.read(value) for name, value in self.values.items()}

    @once
    def forms(self) -> ClosedForms:
        """The closed forms of the target."""
        return closed_forms(self.curve)

    @once
    def _critical(self) -> list[tuple[Any, Any]]:
        """(x, u) of the critical points of the curve, by increasing x."""
        roots = self._roots(self.curve.edge_polynomial(), {})
        tolerance = self._locator.read(10) ** (-self.digits)
        real = [u.real for u in roots if abs(u.imag) < tolerance * (1 + abs(u))]
        place = self.curve.position
        return sorted((Evaluator(self._locator, {**self._located, "u": u})(place), u) for u in real)

    @once
    def _bands(self) -> list[tuple[tuple[Any, Any], tuple[Any, Any]]]:
        """Pairs of critical points between which the polynomial has a complex root."""
        polynomial = self.curve.parameter_polynomial()
        bands = []
        for left, right in zip(self._critical, self._critical[1:], strict=False):
            middle = (left[0] + right[0]) / 2
            widest = max(abs(u.imag) for u in self._roots(polynomial, {"z": middle}))
            if widest > self._locator.ratio(1, 10**self.digits):
                bands.append((left, right))
        return bands

    def bands(self) -> list[tuple[Any, Any]]:
        """The edges of each band, by increasing x."""
        with self.numbers.precision():
            return [(self._edge(left), self._edge(right)) for left, right in self._bands]

    def root(self, x: Any) -> Any:
        """u over the point x just above the real axis; real outside the bands."""
        with self.numbers.precision():
            return self._root(x)

    def transform(self, x: Any) -> Any:
        """G(x + i0): the Hilbert transform minus i pi times the density."""
        return self._value(self.curve.transform, x, x)

    def J(self, epsilon: Any, cut: Any = None) -> Any:
        """Mean of (x - epsilon)^2 above epsilon, or above ``cut``."""
        return self._value(self.forms.J, epsilon, cut)

    def J1(self, epsilon: Any, cut: Any = None) -> Any:
        """Derivative of J in delta."""
        return self._value(self.forms.J1, epsilon, cut)

    def J2(self, epsilon: Any, cut: Any = None) -> Any:
        """Derivative of J in epsilon."""
        return self._value(self.forms.J2, epsilon, cut)

    def mass(self, epsilon: Any) -> Any:
        """Mass above epsilon."""
        return self._value(self.forms.mass, epsilon, None)

    def evaluate(self, expression: sp.Expr, epsilon: Any, cut: Any = None) -> Any:
        """Any expression in J, J1, J2, mass_above, delta, epsilon and the target's parameters."""
        return self._value(_in_closed_form(self.curve, expression), epsilon, cut)

    def _value(self, expression: sp.Expr, epsilon: Any, cut: Any) -> Any:
        with self.numbers.precision():
            u = self._root(epsilon if cut is None else cut)
            values = {**self.values, "epsilon": epsilon, "u": u}
            for angle in self.forms.angles:
                values[angle.symbol.name] = self._angle(angle, u)
            return self._result(Evaluator(self.numbers, values)(expression))

    def _result(self, value: Any) -> Any:
        return self.numbers.finish(value) if self._finish else value

    def _angle(self, angle: Any, u: Any) -> Any:
        argument = Evaluator(self.numbers, {**self.values, "u": u})(angle.argument)
        if _is_real(argument):
            return self.numbers.read(0) if argument > 0 else angle.left * self._pi
        return self.numbers.functions["arg"](argument)

    @property
    def _pi(self) -> Any:
        return self.numbers.constant("pi")

    def _root(self, x: Any) -> Any:
        polynomial = self.curve.parameter_polynomial()
        place = self._locator.read(x)
        roots = self._roots(polynomial, {"z": place})
        inside = any(left[0] < place < right[0] for left, right in self._bands)
        if inside:
            found = max(roots, key=lambda u: u.imag * self.curve.half_plane)
        else:
            found = next(
                u.real for u in sorted(roots, key=lambda u: abs(u.imag)) if self._outside(u)
            )
        if self.numbers.name != "arb":
            return self.numbers.read(found)
        return polynomial_root(
            self._coefficients(polynomial, self.numbers, {**self.values, "z": x}),
            self.numbers.read(found),
        )

    def _outside(self, u: Any) -> bool:
        """Whether a real point of the curve lies on the physical sheet: G decreases there."""
        evaluator = Evaluator(self._locator, {**self._located, "u": u.real})
        slope = sp.diff(self.curve.transform, sym.u) * sp.diff(self.curve.position, sym.u)
        return bool(evaluator(slope) < 0)

    def _edge(self, critical: tuple[Any, Any]) -> Any:
        u = self.numbers.read(critical[1])
        if self.numbers.name == "arb":
            edges = self.curve.edge_polynomial()
            u = polynomial_root(self._coefficients(edges, self.numbers, self.values), u)
        place = Evaluator(self.numbers, {**self.values, "u": u})(self.curve.position)
        return self._result(place)

    def _roots(self, polynomial: sp.Poly, more: Mapping[str, Any]) -> list[Any]:
        """All complex roots, located to the locator's precision."""
        coefficients = self._coefficients(polynomial, self._locator, {**self._located, **more})
        while coefficients and coefficients[-1] == 0:
            coefficients.pop()
        return all_roots(coefficients, self._locator)

    @staticmethod
    def _coefficients(polynomial: sp.Poly, numbers: Any, values: Mapping[str, Any]) -> list[Any]:
        """Coefficients from the constant term up."""
        evaluator = Evaluator(numbers, values)
        return [evaluator(coefficient) for coefficient in polynomial.all_coeffs()[::-1]]


@cache
def _in_closed_form(curve: Curve, expression: sp.Expr) -> sp.Expr:
    """An expression in J, J1, J2 and the mass above, with the target's closed forms put in."""
    forms = closed_forms(curve)
    return expression.subs(
        {sym.J: forms.J, sym.J1: forms.J1, sym.J2: forms.J2, sym.mass_above: forms.mass}
    )


def _is_real(value: Any) -> bool:
    if isinstance(value, flint.acb):
        return value.imag.is_zero()
    if isinstance(value, flint.arb):
        return True
    if isinstance(value, mpmath.mpc) or hasattr(value, "_mpc_"):
        return False
    return not isinstance(value, complex)
