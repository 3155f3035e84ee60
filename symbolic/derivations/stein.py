# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""Envelope and Stein forms of the conjugates, checked on polynomials in two Gaussian variables."""

from __future__ import annotations

from typing import Any

import sympy as sp

from attlas.model import LinearChannel
from attlas.symbolic import notation as sym
from attlas.symbolic.channels import channel_equations
from attlas.symbolic.derivation import Check, exactly

_A, _B = sym.a_ab, sym.b_ab
_SPREAD = sym.spread
#: d omega/dm at fixed Gaussian variables a and b.
TILT = _A / sp.sqrt(sym.q_label) - sym.m / (sym.q_label * _SPREAD) * _B


def _gaussian_mean(polynomial: sp.Expr, first: sp.Symbol, second: sp.Symbol) -> sp.Expr:
    """Mean over two independent variables of variance 2 (one diagonal score)."""
    terms: dict[Any, sp.Expr] = sp.Poly(sp.expand(polynomial), first, second).as_dict()
    total = sp.Integer(0)
    for (i, j), coefficient in terms.items():
        if i % 2 == 0 and j % 2 == 0:
            moment = sp.factorial2(i - 1) * sp.factorial2(j - 1) * sp.Integer(2) ** ((i + j) // 2)
            total += coefficient * moment
    return total


def _linear_response() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """g for the linear channel in terms of a and b, and the two Gaussian coefficients."""
    signal = sp.sqrt(sym.q_label) * _A
    field = sym.m / sp.sqrt(sym.q_label) * _A + _SPREAD * _B
    response = 2 * (signal - field) / (1 + 4 * sym.sigma)
    return response, signal, field


def linear_envelope_check() -> Check:
    """All three means against the derivatives of the closed M."""

    def difference() -> sp.Expr:
        response, _, _ = _linear_response()
        spread = sp.sqrt(sym.q - sym.m**2 / sym.q_label)
        closed = channel_equations(LinearChannel()).closed_form
        in_m = -_gaussian_mean(response * TILT, _A, _B) - sp.diff(closed, sym.m)
        in_q = -_gaussian_mean(response * _B / (2 * _SPREAD), _A, _B) - sp.diff(closed, sym.q)
        in_sigma = -_gaussian_mean(response**2, _A, _B) - sp.diff(closed, sym.sigma)
        return sp.Add(*(sp.simplify(e.subs(_SPREAD, spread)) ** 2 for e in (in_m, in_q, in_sigma)))

    return exactly(difference)


def linear_stein_check() -> Check:
    def difference() -> sp.Expr:
        response, _, _ = _linear_response()
        # One diagonal score: 1 + delta_ab = 2.
        by_signal = 2 * 2 / (1 + 4 * sym.sigma)
        by_field = -by_signal
        signal = _gaussian_mean(response * TILT, _A, _B) - by_signal
        field = -2 * _gaussian_mean(response * _B / (2 * _SPREAD), _A, _B) + by_field
        return sp.simplify(signal) ** 2 + sp.simplify(field) ** 2

    return exactly(difference)


def polynomial_stein_check() -> Check:
    """Both integrations by parts, exactly, for a generic cubic response g(z0, omega)."""

    def difference() -> sp.Expr:
        z0, field = sp.symbols("z0 field", real=True)
        coefficients = sp.symbols("c0:10", real=True)
        monomials = [z0**i * field**j for i in range(4) for j in range(4 - i)]
        response = sp.Add(*(c * e for c, e in zip(coefficients, monomials, strict=True)))
        in_gauss = {
            z0: sp.sqrt(sym.q_label) * _A,
            field: sym.m / sp.sqrt(sym.q_label) * _A + _SPREAD * _B,
        }

        def mean(expression: sp.Expr) -> sp.Expr:
            return _gaussian_mean(expression.subs(in_gauss), _A, _B)

        signal = mean(response * TILT) - 2 * mean(sp.diff(response, z0))
        curvature = mean(response * _B / _SPREAD) - 2 * mean(sp.diff(response, field))
        return sp.simplify(signal) ** 2 + sp.simplify(curvature) ** 2

    return exactly(difference, "for a generic cubic response")
