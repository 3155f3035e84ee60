# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""A target as a rational curve, and what free convolution with the semicircle makes of it.

The law of S0 + delta Z is described by ``z(u) = base(u) + delta^2 transform(u)`` together with
``G = transform(u)``: the convolution moves points along the transform and changes nothing else.
A target with a rational R-transform has u = G itself; a target made of atoms has u = the
subordinated argument. Everything below is rational in u for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from attlas.symbolic import notation as sym


@dataclass(frozen=True)
class Curve:
    """The spectral law of a target, as a rational curve in ``notation.u``.

    Attributes
    ----------
    name : str
    base : sympy.Expr
        z(u) at delta = 0.
    transform : sympy.Expr
        G(u), the Stieltjes transform.
    half_plane : int
        Sign of Im u when z lies just above the real axis: -1 for u = G, +1 for u = z - delta^2 G.
    """

    name: str
    base: sp.Expr
    transform: sp.Expr
    half_plane: int

    @property
    def position(self) -> sp.Expr:
        """z(u) at noise level delta."""
        return self.base + sym.delta**2 * self.transform

    @cache  # noqa: B019  curves are few and live as long as the process
    def parameter_polynomial(self) -> sp.Poly:
        """Polynomial in u whose roots are the points of the curve over z."""
        numerator = sp.numer(sp.together(self.position - sym.z))
        return sp.Poly(sp.expand(numerator), sym.u)

    @cache  # noqa: B019  curves are few and live as long as the process
    def stieltjes_polynomial(self) -> sp.Poly:
        """Polynomial in g (and z) that the Stieltjes transform satisfies."""
        if self.transform == sym.u:
            return sp.Poly(self.parameter_polynomial().as_expr().subs(sym.u, sym.g), sym.g)
        over_z = self.parameter_polynomial().as_expr()
        over_g = sp.expand(sp.numer(sp.together(self.transform - sym.g)))
        eliminated = sp.factor_list(sp.resultant(over_z, over_g, sym.u))[1]
        parts = [factor for factor, _ in eliminated if factor.has(sym.g)]
        return sp.Poly(sp.prod(parts), sym.g)

    @cache  # noqa: B019  curves are few and live as long as the process
    def edge_polynomial(self) -> sp.Poly:
        """Polynomial in u whose real roots are the critical points of z(u): the band edges."""
        slope = sp.together(sp.diff(self.position, sym.u))
        return sp.Poly(sp.expand(sp.numer(slope)), sym.u)

    @cache  # noqa: B019  curves are few and live as long as the process
    def discriminant(self) -> sp.Expr:
        """Polynomial in x that vanishes at every band edge (and where two edges meet)."""
        value = sp.discriminant(self.parameter_polynomial(), sym.u)
        return sp.factor(value.subs(sym.z, sym.x))

    @cache  # noqa: B019  curves are few and live as long as the process
    def poles(self) -> tuple[sp.Expr, ...]:
        """Poles of z(u) and of G(u) in u, all real."""
        both = sp.denom(sp.together(self.base)) * sp.denom(sp.together(self.transform))
        return tuple(sp.roots(sp.Poly(sp.expand(both), sym.u)))

    def orientation(self, pole: sp.Expr) -> int:
        """Sign of u - pole at the top edge, where every logarithm's argument is zero.

        At the top edge G lies between 0 and the first positive pole of R; the subordinated
        argument lies above every atom.
        """
        if self.half_plane > 0:
            return 1
        return -1 if sp.ask(sp.Q.positive(pole)) else 1


def from_r_transform(name: str, r_transform: sp.Expr) -> Curve:
    """A target given by its R-transform R0(u), rational in ``notation.u``."""
    return Curve(name, 1 / sym.u + r_transform, sym.u, half_plane=-1)
