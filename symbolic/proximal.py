# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false
"""The proximal map of a convex function of one variable, solved exactly.

Both sides of the theory need it: a penalty on eigenvalues gives the spectral denoiser, and a loss
of one residual gives the Moreau envelope of a channel.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class Proximal:
    """Minimiser over x >= 0 of ``k x^2/2 - b x + r(x)`` for a field b >= 0.

    Attributes
    ----------
    field : sympy.Symbol
        b.
    threshold : sympy.Expr
        The minimiser is 0 for b up to here: r'(0+).
    point, value : sympy.Expr
        Minimiser and minimum for b above the threshold, in terms of b.
    """

    field: sp.Symbol
    threshold: sp.Expr
    point: sp.Expr
    value: sp.Expr


def proximal(penalty: sp.Expr, x: sp.Symbol, curvature: sp.Expr) -> Proximal:
    """Solve the proximal problem of a convex function with r(0) = 0.

    Parameters
    ----------
    penalty : sympy.Expr
        r(x) for x >= 0, convex, differentiable for x > 0.
    x : sympy.Symbol
    curvature : sympy.Expr
        k > 0.

    Raises
    ------
    ValueError
        If the stationarity condition has no solution that vanishes at the threshold.
    """
    field = sp.Symbol("b", positive=True)
    slope = sp.diff(penalty, x)
    threshold = sp.simplify(slope.subs(x, 0))
    for root in sp.solve(curvature * x - field + slope, x):
        if sp.simplify(root.subs(field, threshold)) == 0:
            value = curvature * root**2 / 2 - field * root + penalty.subs(x, root)
            return Proximal(field, threshold, sp.factor(root), sp.factor(value))
    raise ValueError(f"no proximal map found for the penalty {penalty}")
