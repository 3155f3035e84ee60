# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false
"""Expansions of the perfect-recovery threshold at small and at full rank, to any order.

Both come from the parametric form by reverting a power series, with exact coefficients in pi.
"""

from __future__ import annotations

from functools import cache

import sympy as sp
from sympy.polys.ring_series import (
    rs_cos,
    rs_mul,
    rs_nth_root,
    rs_series_inversion,
    rs_series_reversion,
    rs_sin,
    rs_subs,
    rs_trunc,
)
from sympy.polys.rings import ring

from attlas.symbolic import notation as sym

_PI = sp.Symbol("pi_")


@cache
def small_rank_series(order: int) -> sp.Expr:
    """a_perf/kappa0 in powers of zeta = (15 pi kappa0/2)^(1/5), through zeta^order.

    Parameters
    ----------
    order : int >= 0

    Notes
    -----
    theory.md section 7. The curve is kappa0 = f/(1 + f) with f = RATIO ~ 2 theta^5/(15 pi).
    """
    precision = order + 12
    field = sp.QQ.frac_field(_PI)
    _, theta, zeta = ring("theta, zeta", field)
    pi = field.from_sympy(_PI)
    sin, cos = rs_sin(theta, theta, precision), rs_cos(theta, theta, precision)
    tan = rs_mul(sin, rs_series_inversion(cos, theta, precision), theta, precision)
    f = rs_trunc((tan * (2 + cos**2) / 3 - theta) / pi, theta, precision)
    kappa0 = rs_mul(f, rs_series_inversion(1 + f, theta, precision), theta, precision)
    # zeta^5 = (15 pi/2) kappa0 = theta^5 (1 + ...): a fifth root, then a reversion.
    fifth = (kappa0 * (15 * pi / 2)).quo(theta**5)
    root = theta * rs_nth_root(fifth, 5, theta, precision - 5)
    inverse = rs_series_reversion(rs_trunc(root, theta, order + 7), theta, order + 7, zeta)
    value = _value(kappa0, theta, sin, cos, pi, precision)
    ratio = value.quo(theta**5)
    ratio = rs_mul(
        ratio, rs_series_inversion(kappa0.quo(theta**5), theta, order + 1), theta, order + 1
    )
    series = rs_subs(ratio, {theta: inverse}, zeta, order + 1)
    return _expression(series, zeta, sym.zeta, order)


@cache
def full_rank_series(order: int) -> sp.Expr:
    """a_perf in powers of w = 1 - kappa0, through w^order.

    Parameters
    ----------
    order : int >= 0

    Notes
    -----
    theory.md section 7. With theta = pi/2 - phi the curve is w = 1/(1 + f), f ~ 2/(3 pi phi).
    """
    precision = order + 4
    field = sp.QQ.frac_field(_PI)
    _, phi, w = ring("phi, w", field)
    pi = field.from_sympy(_PI)
    # theta's sine and cosine are phi's cosine and sine.
    sin, cos = rs_cos(phi, phi, precision), rs_sin(phi, phi, precision)
    slope = rs_mul(sin, rs_series_inversion(cos.quo(phi), phi, precision), phi, precision)
    theta = pi / 2 - phi
    f_times_phi = rs_trunc((slope * (2 + cos**2) / 3 - phi * theta) / pi, phi, precision)
    curve = rs_mul(phi, rs_series_inversion(phi + f_times_phi, phi, precision), phi, precision)
    inverse = rs_series_reversion(rs_trunc(curve, phi, order + 1), phi, order + 1, w)
    turned = rs_trunc((theta - sin * cos * (5 - 2 * cos**2) / 3) / pi, phi, precision)
    brace = rs_subs(1 - turned, {phi: inverse}, w, order + 1)
    half = field.from_sympy(sp.Rational(1, 2))
    return _expression(rs_trunc(half - half * w**2 * brace, w, order + 1), w, sym.w, order)


def _value(kappa0, theta, sin, cos, pi, precision):  # type: ignore[no-untyped-def]
    turned = rs_trunc((theta - sin * cos * (5 - 2 * cos**2) / 3) / pi, theta, precision)
    square = rs_trunc((1 - kappa0) ** 2, theta, precision)
    return (1 - rs_mul(square, 1 - turned, theta, precision)) * sp.QQ(1, 2)


def _expression(series, variable, symbol: sp.Symbol, order: int) -> sp.Expr:  # type: ignore[no-untyped-def]
    """A ring element as a sympy polynomial in one symbol."""
    terms = []
    for power in range(order + 1):
        coefficient = series.coeff(variable**power) if power else series.coeff(1)
        terms.append(series.ring.domain.to_sympy(coefficient).subs(_PI, sp.pi) * symbol**power)
    return sp.Add(*terms)
