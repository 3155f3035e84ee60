# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportCallIssue=false
"""Targets through one interface: each is a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from attlas.model.errors import BadInput
from attlas.model.targets import Target, Wishart
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import Arithmetic
from attlas.symbolic.evaluate import Evaluator
from attlas.symbolic.free_convolution.curve import Curve, from_r_transform
from attlas.symbolic.free_convolution.numeric_law import NumericLaw

#: Different eigenvalues of a list that is written as a curve: its degree is one more.
_MOST_ATOMS = 12

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
class Law:
    """The law of a target at numbers.

    Attributes
    ----------
    curve : Curve
    parameters : tuple of (symbol, value)
        Of the curve's symbols.
    mean, strength : sympy.Expr
        Tr S0/d and q0 = Tr S0^2/d.
    rank : sympy.Expr
        Share of eigenvalues that are not 0.
    """

    curve: Curve
    parameters: tuple[tuple[sp.Symbol, sp.Expr], ...]
    mean: sp.Expr
    strength: sp.Expr
    rank: sp.Expr

    def noisy(self, numbers: Arithmetic, delta: Any) -> NumericLaw:
        """The law of S0 + delta Z."""
        known = Evaluator(numbers, {})
        values = {symbol.name: known(value) for symbol, value in self.parameters}
        return NumericLaw(self.curve, {**values, "delta": delta}, numbers)


def r_transform_of(target: Target) -> sp.Expr:
    """The R-transform of a target, rational in ``notation.u``, exactly.

    Raises
    ------
    BadInput
        If there is none, or it is not rational.
    """
    found = sp.sympify(target.r_transform(sym.u))
    if found is None:
        raise BadInput("target", target.name, "must have eigenvalues or an r_transform(g)")
    known = isinstance(found, sp.Expr) and found.free_symbols <= {sym.u}
    if not known or not found.is_rational_function(sym.u):
        raise BadInput("target", target.name, f"must have a rational R-transform, not {found}")
    return sp.nsimplify(found, rational=True) if found.has(sp.Float) else found


@cache
def law_of(target: Target | Fraction) -> Law:
    """The law of a target from its R-transform, or from a few different eigenvalues.

    Parameters
    ----------
    target : Target, or kappa0 of a Wishart one

    Raises
    ------
    BadInput
        If the target has neither.
    """
    if isinstance(target, Fraction):
        return law_of(Wishart(target))
    if target.eigenvalues is not None:
        return _listed(target)
    if target.wishart_ratio is not None:
        curve, root = WISHART, sp.sqrt(sp.Rational(target.wishart_ratio))
        transform, parameters = sym.s / (1 - sym.u / sym.s), ((sym.s, root),)
    else:
        transform, parameters = r_transform_of(target), ()
        curve = from_r_transform(target.name, transform)
    transform = transform.subs(parameters)
    mean, variance = (sp.limit(one, sym.u, 0) for one in (transform, sp.diff(transform, sym.u)))
    # An atom at 0 is what z G tends to there.
    atom = sp.limit(1 + sym.u * transform, sym.u, -sp.oo)
    rank = 1 - sp.Max(0, atom) if atom.is_finite else sp.Integer(1)
    return Law(curve, parameters, mean, sp.simplify(variance + mean**2), rank)


def _listed(target: Target) -> Law:
    counts = Counter(map(Fraction, target.eigenvalues or ()))
    if len(counts) > _MOST_ATOMS:
        valid = f"must have a rational R-transform or at most {_MOST_ATOMS} different eigenvalues"
        raise BadInput("target", target.name, f"{valid} for a closed form")
    total = sum(counts.values())
    pairs = [(sp.Rational(n, total), sp.Rational(x)) for x, n in counts.items()]
    mean, strength, rank = (
        sp.Add(*(weight * of(place) for weight, place in pairs))
        for of in (lambda x: x, lambda x: x**2, lambda x: sp.Integer(int(x != 0)))
    )
    return Law(atoms(pairs), (), mean, strength, rank)


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
