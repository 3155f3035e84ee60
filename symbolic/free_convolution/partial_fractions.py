# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false
"""Partial fractions of a rational function whose poles are known.

sympy's general ``apart`` factors the denominator, which takes seconds here; knowing the poles, a
Taylor expansion at each is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class PartialFractions:
    """polynomial(u) + sum over poles and orders of coefficient/(u - pole)^order."""

    polynomial: sp.Poly
    principal: dict[sp.Expr, tuple[sp.Expr, ...]]


def partial_fractions(
    function: sp.Expr, variable: sp.Symbol, poles: Sequence[sp.Expr]
) -> PartialFractions:
    """Decompose a rational function with known distinct poles.

    Parameters
    ----------
    function : sympy.Expr
        Rational in ``variable`` with coefficients rational in the other symbols.
    variable : sympy.Symbol
    poles : sequence of sympy.Expr
        Contains every pole.

    Raises
    ------
    ValueError
        If the denominator has a zero that is not among ``poles``.
    """
    top, bottom = sp.fraction(sp.together(function))
    others = sorted((top.free_symbols | bottom.free_symbols) - {variable}, key=lambda s: s.name)
    field = sp.QQ.frac_field(*others) if others else sp.QQ
    numerator, denominator = (sp.Poly(part, variable, domain=field) for part in (top, bottom))
    quotient, remainder = numerator.div(denominator)
    principal = {}
    unexplained = denominator
    for pole in poles:
        linear = sp.Poly(variable - pole, variable, domain=field)
        order, cofactor = _divide_out(denominator, linear)
        if order:
            terms = _taylor_quotient(remainder, cofactor, pole, order)
            principal[pole] = tuple(field.to_sympy(term) for term in reversed(terms))
            unexplained = _divide_out(unexplained, linear)[1]
    if unexplained.degree() > 0:
        raise ValueError(f"{function} has a pole that was not named")
    return PartialFractions(quotient, principal)


def _divide_out(polynomial: sp.Poly, linear: sp.Poly) -> tuple[int, sp.Poly]:
    order = 0
    while polynomial.degree() > 0:
        quotient, remainder = polynomial.div(linear)
        if not remainder.is_zero:
            break
        polynomial, order = quotient, order + 1
    return order, polynomial


def _taylor_quotient(top: sp.Poly, bottom: sp.Poly, pole: sp.Expr, order: int) -> list:
    """First ``order`` Taylor coefficients of top/bottom at the pole."""
    upper, lower = (_taylor(part, pole, order) for part in (top, bottom))
    terms: list = []
    for index in range(order):
        known = sum((terms[k] * lower[index - k] for k in range(index)), top.get_domain().zero)
        terms.append((upper[index] - known) / lower[0])
    return terms


def _taylor(polynomial: sp.Poly, at: sp.Expr, order: int) -> list:
    """Coefficients of the shifted polynomial, by repeated synthetic division."""
    field = polynomial.get_domain()
    place = field.from_sympy(sp.sympify(at))
    remaining = polynomial.rep.to_list()
    found = []
    for _ in range(order):
        quotient, carry = [], field.zero
        for coefficient in remaining:
            carry = carry * place + coefficient
            quotient.append(carry)
        found.append(quotient.pop() if quotient else field.zero)
        remaining = quotient
    return found
