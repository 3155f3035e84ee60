# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Targets through one interface: each is a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.free_convolution.curve import Curve, from_r_transform

#: S0 = W0 W0^T/sqrt(p0 d): R0(g) = sqrt(kappa0)/(1 - g/sqrt(kappa0)), with s = sqrt(kappa0).
WISHART = from_r_transform("wishart", sym.s / (1 - sym.u / sym.s))

#: S0 = W_Q0 W_K0^T/sqrt(p0 d), its singular values with both signs: R0(g) = g/(1 - g^2/kappa0).
PRODUCT = from_r_transform("product", sym.u / (1 - sym.u**2 / sym.s**2))

#: A semicircle of variance v.
SEMICIRCLE = from_r_transform("semicircle", sym.v * sym.u)


def atoms(weighted: Sequence[tuple[sp.Expr, sp.Expr]]) -> Curve:
    """Eigenvalues with weights, ``[(weight, eigenvalue), ...]``, weights summing to 1.

    Raises
    ------
    ValueError
        If the weights do not sum to 1.
    """
    if sp.simplify(sum(weight for weight, _ in weighted) - 1) != 0:
        raise ValueError("the weights of the atoms must sum to 1")
    transform = sp.Add(*(weight / (sym.u - place) for weight, place in weighted))
    return Curve("atoms", sym.u, transform, half_plane=1)


@dataclass(frozen=True)
class Spiked:
    """A background law with finitely many isolated eigenvalues, of zero weight in the limit.

    Attributes
    ----------
    background : Curve
    """

    background: Curve

    def outlier(self) -> sp.Expr:
        """Where a spike with z0(u) = theta_spike ends up, in terms of u."""
        return self.background.position

    def overlap(self) -> sp.Expr:
        """Squared overlap of the outlier's eigenvector with the spike's, in terms of u.

        The spike detaches while this is positive: it is dz/dtheta along the curve.
        """
        slope = sp.diff(self.background.position, sym.u) / sp.diff(self.background.base, sym.u)
        return sp.simplify(slope)
