# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false, reportReturnType=false
"""The law of S0 + delta Z of a target, step by step."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.free_convolution import Curve, NumericLaw, Spiked, closed_forms


@cache
def spectrum_derivation(curve: Curve) -> Derivation:
    """Stieltjes polynomial, edges and closed forms of a target (theory.md sections 5 and 9)."""
    forms = closed_forms(curve)
    at_root = {sym.u: sym.g} if curve.transform == sym.u else {}

    def closed(expression: sp.Expr) -> sp.Expr:
        return forms.written_out(expression, sym.epsilon).xreplace(at_root)

    spike = Spiked(curve)
    variable = "g" if at_root else "u"
    equations: dict[str, sp.Basic] = {
        "position": sp.Eq(sym.z, curve.position.xreplace(at_root), evaluate=False),
        "transform": sp.Eq(sym.g, curve.transform, evaluate=False),
        "polynomial": sp.Eq(curve.stieltjes_polynomial().as_expr(), 0, evaluate=False),
        "edges": sp.Eq(curve.edge_polynomial().as_expr().xreplace(at_root), 0, evaluate=False),
        "J": sp.Eq(sym.J, closed(forms.J), evaluate=False),
        "J1": sp.Eq(sym.J1, closed(forms.J1), evaluate=False),
        "J2": sp.Eq(sym.J2, closed(forms.J2), evaluate=False),
        "mass_above": sp.Eq(sym.mass_above, closed(forms.mass), evaluate=False),
        "outlier": sp.Eq(sym.x, spike.outlier().xreplace(at_root), evaluate=False),
        "overlap": sp.Eq(sym.spike_overlap, spike.overlap().xreplace(at_root), evaluate=False),
    }
    if at_root:
        del equations["transform"]
    return Derivation(
        key="spectrum",
        title=f"Law of S0 + delta Z: {curve.name} target",
        statement=(
            "The learned map has the eigenvalues eta (x - epsilon) of those x of S0 + delta Z "
            "that exceed epsilon. Averages above epsilon are imaginary parts of a primitive at "
            f"one root {variable} of the polynomial over z = epsilon: the root in the "
            f"{'lower' if curve.half_plane < 0 else 'upper'} half-plane inside a band, the real "
            "one on the physical branch outside."
            + (" s = sqrt(kappa0)." if sym.s in curve.base.free_symbols else "")
        ),
        equations=equations,
        assumptions=(
            "Z is a GOE matrix with off-diagonal variance 1/d, independent of S0, d -> infinity",
            "outlier and overlap: for a spike of strength z(u) at delta = 0, while the overlap is "
            "positive",
        ),
        steps=(
            Step(
                sp.Eq(
                    sp.Function("R")(sym.g),
                    sp.Function("R_0")(sym.g) + sym.delta**2 * sym.g,
                    evaluate=False,
                ),
                "R-transforms add under free convolution, and the semicircle's is delta^2 g: a "
                "point of the curve moves by delta^2 G",
                equations["position"],
                exactly(
                    lambda: (
                        curve.position
                        - curve.position.subs(sym.delta, 0)
                        - sym.delta**2 * curve.transform
                    )
                ),
            ),
            Step(
                equations["position"],
                "clear denominators: a polynomial in the transform",
                equations["polynomial"],
                exactly(lambda: _polynomial_on_curve(curve)),
            ),
            Step(
                sp.Eq(sp.Derivative(sym.z, sym.u), 0, evaluate=False),
                "the density ends where two roots meet: critical points of z",
                equations["edges"],
                exactly(lambda: _edge_ratio(curve)),
            ),
            Step(
                "dG/dt at fixed z",
                "complex Burgers equation, t = delta^2: dG/dt + G dG/dz = 0; so averages of phi "
                "change by the average of phi' Re G",
                "J1 = 4 delta times the mean of (x - epsilon) Re G above epsilon",
                exactly(lambda: _burgers(curve)),
            ),
            Step(
                "mean of (x - epsilon)^2 above epsilon",
                "the density is -Im G/pi; integrate the rational form (z - epsilon)^2 G dz",
                equations["J"],
                by_numbers(lambda: _derivative_pairs(curve), "derivatives of the closed form"),
            ),
        ),
        source="sections 5 and 9",
    )


def _polynomial_on_curve(curve: Curve) -> sp.Expr:
    polynomial = curve.stieltjes_polynomial().as_expr()
    return polynomial.subs(sym.g, curve.transform).subs(sym.z, curve.position)


def _edge_ratio(curve: Curve) -> sp.Expr:
    """The slope divided by its numerator does not vanish: only its denominator is left."""
    slope = sp.together(sp.diff(curve.position, sym.u))
    ratio = sp.cancel(slope / curve.edge_polynomial().as_expr())
    return sp.numer(sp.together(ratio)).diff(sym.u)


def _burgers(curve: Curve) -> sp.Expr:
    """dG/dt + G dG/dz along the curve, with du/dt from z held fixed."""
    position = curve.base + sym.t * curve.transform
    along = sp.diff(curve.transform, sym.u)
    slope = sp.diff(position, sym.u)
    moved = -sp.diff(position, sym.t) / slope
    return along * moved + curve.transform * along / slope


def _derivative_pairs(curve: Curve) -> list[tuple[Any, Any]]:
    """Central differences of J at step 1e-40 against J1 and J2, at a random point."""
    digits = 4 * CHECK_DIGITS
    with mpmath.workdps(digits):
        step = mpmath.mpf(10) ** -40
        delta, epsilon = mpmath.mpf("0.8"), mpmath.mpf("0.3")
        parameters = {
            symbol.name: mpmath.mpf("0.6")
            for symbol in (curve.base.free_symbols | curve.transform.free_symbols) - {sym.u}
        }

        def law(at: Any) -> NumericLaw:
            return NumericLaw(curve, {**parameters, "delta": at}, "mpmath", digits)

        # The error of a central difference is the third derivative times step^2/6.
        in_delta = (law(delta + step).J(epsilon) - law(delta - step).J(epsilon)) / (2 * step)
        here = law(delta)
        in_epsilon = (here.J(epsilon + step) - here.J(epsilon - step)) / (2 * step)
        return [(in_delta, here.J1(epsilon)), (in_epsilon, here.J2(epsilon))]
