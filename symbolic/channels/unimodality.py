# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false
"""When the two-token proximal problem has one minimum, whatever the label."""

from __future__ import annotations

import sympy as sp

#: Value of the logistic function, between 0 and 1.
share = sp.Symbol("p", positive=True)
#: The label, between 0 and 1.
label = sp.Symbol("y", nonnegative=True)


def loss_curvature() -> sp.Expr:
    """Second derivative of 2 (y - logistic(beta u))^2 in u, over 4 beta^2, in terms of p.

    With p' = p (1 - p) the chain rule is a polynomial.
    """
    slope = share * (1 - share)
    bend = slope * sp.diff(slope, share)
    return sp.expand(slope**2 - (label - share) * bend)


def worst_curvature() -> tuple[sp.Expr, sp.Expr]:
    """The most negative value over p and y in [0, 1], and the p where it is taken.

    Linear in y, so y is 0 or 1, which are mirror images under p -> 1 - p.
    """
    at_one = sp.factor(loss_curvature().subs(label, 1))
    stationary = sp.solve(sp.diff(at_one, share), share)
    candidates = [root for root in stationary if 0 < root.evalf(30) < 1]
    place = min(candidates, key=lambda root: at_one.subs(share, root).evalf(30))
    return sp.radsimp(sp.expand(at_one.subs(share, place))), place


def unimodality_bound() -> sp.Expr:
    """The largest sigma beta^2 below which every two-token proximal problem has one minimum.

    The quadratic part C^-1/sigma has least curvature 1/(4 sigma), along u = v, where both loss
    terms bend by 4 beta^2 times ``loss_curvature``. Below the bound the objective is strictly
    convex; just above it, the restriction to u = v has two minima for a label near (1, 1), and
    they are minima in the plane because the antisymmetric curvature 1/(2 sigma) is larger.
    """
    worst, _ = worst_curvature()
    return sp.radsimp(-1 / (16 * worst))
