# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false
"""J, its derivatives, and masses in closed form: imaginary parts of a primitive at one root.

With density -Im G/pi, an average of a polynomial in x above a cut is the imaginary part of a
contour integral of (polynomial) G z'(u) du. The integrand is rational in u, so the primitive is a
rational function plus logarithms, whose imaginary parts are angles. No quadrature is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from symbolic import notation as sym
from symbolic.free_convolution.curve import Curve


@dataclass(frozen=True)
class Angle:
    """The argument of ``orientation (u - pole)``, zero at the top edge.

    Attributes
    ----------
    symbol : sympy.Symbol
        Stands for the angle in the closed forms.
    argument : sympy.Expr
        What it is the argument of.
    left : int
        Sign of the angle (in units of pi) where the argument is negative and real.
    """

    symbol: sp.Symbol
    argument: sp.Expr
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

    def written_out(self, expression: sp.Expr) -> sp.Expr:
        """An expression with the angles' symbols replaced by arg(...)."""
        return expression.subs({angle.symbol: sp.arg(angle.argument) for angle in self.angles})


@cache
def closed_forms(curve: Curve) -> ClosedForms:
    """Integrate the rational forms of a target once.

    Raises
    ------
    ValueError
        If a pole of the curve cannot be found exactly.
    """
    angles = tuple(
        Angle(
            sp.Symbol(f"angle_{index}", real=True),
            curve.orientation(pole) * (sym.u - pole),
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


def _imaginary_primitive(integrand: sp.Expr, angles: tuple[Angle, ...]) -> sp.Expr:
    u = sym.u
    rational, turns = sp.Integer(0), sp.Integer(0)
    for term in sp.Add.make_args(sp.apart(sp.together(integrand), u)):
        numerator, denominator = sp.fraction(sp.together(term))
        order = sp.degree(denominator, u)
        if order == 0:
            rational += sp.integrate(term, u)
            continue
        pole_angle = next(
            (a for a in angles if sp.simplify(denominator.subs(u, _zero(a))) == 0), None
        )
        if pole_angle is None or numerator.has(u):
            raise ValueError(f"no known pole in the term {term}")
        coefficient = sp.cancel(term * (u - _zero(pole_angle)) ** order)
        if order == 1:
            turns += coefficient * pole_angle.symbol
        else:
            rational += coefficient * (u - _zero(pole_angle)) ** (1 - order) / (1 - order)
    return sp.im(rational, evaluate=False) + turns


def _zero(angle: Angle) -> sp.Expr:
    return sp.solve(angle.argument, sym.u)[0]
