# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false, reportOptionalOperand=false
"""J, its derivatives, and masses in closed form: imaginary parts of a primitive at one root.

With density -Im G/pi, an average of a polynomial in x above a cut is the imaginary part of a
contour integral of (polynomial) G z'(u) du. The integrand is rational in u, so the primitive is a
rational function plus logarithms, whose imaginary parts are angles. No quadrature is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.free_convolution.curve import Curve
from attlas.symbolic.free_convolution.partial_fractions import partial_fractions
from attlas.symbolic.functions import Im


@dataclass(frozen=True)
class Angle:
    """The argument of ``orientation (u - pole)``, zero at the top edge.

    Attributes
    ----------
    symbol : sympy.Symbol
        Stands for the angle in the closed forms.
    argument : sympy.Expr
        What it is the argument of.
    pole : sympy.Expr
    left : int
        Sign of the angle (in units of pi) where the argument is negative and real.
    """

    symbol: sp.Symbol
    argument: sp.Expr
    pole: sp.Expr
    left: int


@dataclass(frozen=True)
class ClosedForms:
    """Closed forms of one target at noise level delta, threshold epsilon and root u over the cut.

    The cut is epsilon, or omega_cut for a width-limited student. The expressions contain ``u``,
    the angles' symbols, ``delta``, ``epsilon`` and the target's parameters.

    Attributes
    ----------
    curve : Curve
    angles : tuple of Angle
    J, J1, J2 : sympy.Expr
        Mean of (x - epsilon)^2 above the cut, and its derivatives in delta and epsilon.
    mass : sympy.Expr
        Mass above the cut.
    mean : sympy.Expr
        Mean of (x - epsilon) above the cut.
    """

    curve: Curve
    angles: tuple[Angle, ...]
    J: sp.Expr
    J1: sp.Expr
    J2: sp.Expr
    mass: sp.Expr
    mean: sp.Expr

    def written_out(self, expression: sp.Expr, cut: sp.Expr) -> sp.Expr:
        """An expression linear in the closed forms, as it is best read: its rational part reduced
        modulo the polynomial of the curve over the cut, and the angles written as arguments.
        """
        expression = sp.expand(expression * sp.pi)
        angles = [angle.symbol for angle in self.angles]
        coefficients = [sp.factor(expression.coeff(angle)) for angle in angles]
        turns = sum(c * angle for c, angle in zip(coefficients, angles, strict=True))
        rest = sp.expand(expression - turns)
        inside = sum(rest.coeff(part) * part.args[0] for part in rest.atoms(Im))
        over = self.curve.parameter_polynomial().as_expr().subs(sym.z, cut)
        reduced = _reduce(inside, over, self.curve.poles())
        value = sp.Add(*(c * Im(sym.u**power) for power, c in reduced.items()))
        for coefficient, angle in zip(coefficients, self.angles, strict=True):
            value += coefficient * sp.arg(angle.argument, evaluate=False)
        return value / sp.pi


@cache
def closed_forms(curve: Curve) -> ClosedForms:
    """Integrate the rational forms of a target once.

    Raises
    ------
    BadInput
        If a pole of the curve cannot be found exactly.
    """
    angles = tuple(
        Angle(
            sp.Symbol(f"angle_{index}", real=True),
            curve.orientation(pole) * (sym.u - pole),
            pole,
            curve.orientation(pole) * curve.half_plane,
        )
        for index, pole in enumerate(curve.poles())
    )
    delta, epsilon = sym.delta, sym.epsilon
    transform, position = curve.transform, curve.position
    excess = position - epsilon

    def above_cut(integrand: sp.Expr) -> sp.Expr:
        """(1/pi) times the imaginary part of a primitive of integrand dz: the integral of
        -Im(integrand)/pi above the cut."""
        return _imaginary_primitive(integrand * sp.diff(position, sym.u), angles) / sp.pi

    try:
        mean = above_cut(excess * transform)
        return ClosedForms(
            curve=curve,
            angles=angles,
            J=above_cut(excess**2 * transform),
            # J1 = 4 delta int (x - epsilon) Re G: and Re G Im G = Im(G^2)/2.
            J1=2 * delta * above_cut(excess * transform**2),
            J2=-2 * mean,
            mass=above_cut(transform),
            mean=mean,
        )
    except (ValueError, sp.CoercionFailed):
        valid = "must have an R-transform with rational poles: J has no closed form otherwise"
        raise BadInput(
            "target", curve.name, valid, "`solve` takes it, in double precision"
        ) from None


def _imaginary_primitive(integrand: sp.Expr, angles: tuple[Angle, ...]) -> sp.Expr:
    """Imaginary part of a primitive: of its rational part, and residues times angles."""
    poles = {angle.pole: angle for angle in angles}
    parts = partial_fractions(integrand, sym.u, tuple(poles))
    rational = parts.polynomial.integrate(sym.u).as_expr()
    turns = sp.Integer(0)
    for pole, terms in parts.principal.items():
        turns += terms[0] * poles[pole].symbol
        for order, coefficient in enumerate(terms[1:], start=2):
            rational += coefficient * (sym.u - pole) ** (1 - order) / (1 - order)
    return Im(rational) + turns


def _reduce(rational: sp.Expr, modulus: sp.Expr, poles: tuple[sp.Expr, ...]) -> dict[int, sp.Expr]:
    """The polynomial in u of least degree that equals a rational function on the curve.

    With modulus P, 1/(u - p) is -(P(u) - P(p))/((u - p) P(p)) on the curve.

    Returns
    -------
    dict of int to sympy.Expr
        Coefficients by power; the constant term, which is real, is dropped.
    """
    parts = partial_fractions(rational, sym.u, poles)
    others = sorted((rational.free_symbols | modulus.free_symbols) - {sym.u}, key=str)
    field = sp.QQ.frac_field(*others)
    over = sp.Poly(modulus, sym.u, domain=field)
    total = sp.Poly(parts.polynomial.as_expr(), sym.u, domain=field).rem(over)
    for pole, terms in parts.principal.items():
        quotient, remainder = over.div(sp.Poly(sym.u - pole, sym.u, domain=field))
        inverse = quotient.mul_ground(-1 / remainder.rep.to_list()[0])
        power = inverse
        for coefficient in terms:
            total += power.mul_ground(field.from_sympy(coefficient))
            power = (power * inverse).rem(over)
    return {k: sp.factor(c) for (k,), c in total.terms() if k > 0}
