# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false, reportOperatorIssue=false, reportAssignmentType=false
"""Derivatives of closed forms along their curve: what proves that an enclosed root is unique."""

from __future__ import annotations

from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.free_convolution import Curve, closed_forms
from attlas.symbolic.functions import Im


@cache
def total_derivative(curve: Curve, expression: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    """d/d(variable) of an expression in J, J1 and J2, with the root u over epsilon moving along.

    Parameters
    ----------
    curve : Curve
    expression : sympy.Expr
        In J, J1, J2, delta, epsilon and the target's parameters.
    variable : sympy.Symbol
        delta or epsilon.

    Returns
    -------
    sympy.Expr
        In u, the angles of the closed forms, delta, epsilon and the target's parameters;
        :meth:`NumericLaw.evaluate` takes it. From z(u) = epsilon, du = (d epsilon - dz)/z'(u).
    """
    forms = closed_forms(curve)
    written = expression.subs({sym.J: forms.J, sym.J1: forms.J1, sym.J2: forms.J2})
    moved = (sp.diff(sym.epsilon, variable) - sp.diff(curve.position, variable)) / sp.diff(
        curve.position, sym.u
    )

    def along(part: sp.Expr) -> sp.Expr:
        return sp.diff(part, variable) + sp.diff(part, sym.u) * moved

    rates: dict[sp.Symbol, sp.Expr] = {
        angle.symbol: Im(moved / (sym.u - angle.pole)) for angle in forms.angles
    }
    stand_ins: dict[sp.Basic, sp.Symbol] = {}
    for part in written.atoms(Im):
        stand_in = sp.Dummy(real=True)
        stand_ins[part] = stand_in
        rates[stand_in] = Im(along(part.args[0]))
    held = written.xreplace(stand_ins)
    total = sp.diff(held, variable) + sum(
        (sp.diff(held, symbol) * rate for symbol, rate in rates.items()), sp.Integer(0)
    )
    return total.xreplace({stand_in: part for part, stand_in in stand_ins.items()})
