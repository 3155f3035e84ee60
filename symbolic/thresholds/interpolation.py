# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportReturnType=false
"""The interpolation threshold: closed parametric form for the Wishart target, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.model import Estimator
from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import Arithmetic, Mpmath
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.evaluate import Evaluator, evaluate
from attlas.symbolic.free_convolution import (
    WISHART,
    Curve,
    Law,
    NumericLaw,
    closed_forms,
    law_of,
)
from attlas.symbolic.functions import Asymptotically
from attlas.symbolic.thresholds.reduction import RATIO, SAMPLE_EQUATION, SIGNAL_EQUATION
from attlas.symbolic.thresholds.root import solve_then_evaluate

#: Left and right sides at epsilon = 0, in terms of J and J1 there.
LABEL_STRENGTH = SIGNAL_EQUATION.rhs.subs(sym.epsilon, 0)
SAMPLES = SAMPLE_EQUATION.rhs


def require_vanishing(estimator: Estimator) -> None:
    """Refuse a penalty of which the limit lam -> 0+ leaves something.

    Raises
    ------
    BadInput
    """
    shape, none = estimator.shape, estimator.with_(lam=0).penalty
    if shape is None or none is None or not none.vanishes or shape.limited:
        raise BadInput(
            "training",
            estimator.name,
            "must leave no penalty as lam -> 0+, and no constraint but the map's sign: else the "
            "step lam -> 0+ of the interpolation threshold does not go through",
        )


def closed_form(curve: Curve) -> dict[str, sp.Basic]:
    """Both equations in closed form: the root of one polynomial, and the angles of its poles."""
    forms = closed_forms(curve)
    at_root = {sym.u: sym.g} if curve.transform == sym.u else {}

    def written(expression: sp.Expr) -> sp.Expr:
        filled = expression.subs({sym.J: forms.J, sym.J1: forms.J1}).subs(sym.epsilon, 0)
        return forms.written_out(filled, sp.Integer(0)).xreplace(at_root)

    over_zero = curve.parameter_polynomial().as_expr().subs(sym.z, 0).xreplace(at_root)
    root = "cubic" if curve == WISHART else "polynomial"
    return {
        f"{curve.name}-{root}": sp.Eq(over_zero, 0, evaluate=False),
        f"{curve.name}-signal": sp.Eq(sym.q_label, written(LABEL_STRENGTH), evaluate=False),
        f"{curve.name}-samples": sp.Eq(sym.a_int, written(SAMPLES), evaluate=False),
    }


def interpolation_value(
    law: Law | Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50
) -> Any:
    """a_int = alpha_int D.

    Parameters
    ----------
    law : Law, or exact number > 0
        Of the target; a number is kappa0 of a Wishart one.
    noise : exact number > 0 (int, Fraction, decimal or fraction string)
    arithmetic : {"float64", "mpmath", "arb"}
        In arb the ball is proven to contain the value.
    digits : int

    Raises
    ------
    BadInput
        At noise = 0, where S0 itself interpolates at any alpha.

    Notes
    -----
    theory.md section 7. The equation for Q is increasing in delta.
    """
    return _at_threshold(SAMPLES, law, noise, arithmetic, digits)


def peak_norm(law: Law | Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """q (beta/beta0)^2 = J(delta, 0) at the interpolation threshold (theory.md section 8)."""
    return _at_threshold(sym.J, law, noise, arithmetic, digits)


def noise_level(law: Law | Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """delta at the interpolation threshold."""
    return _at_threshold(sym.delta, law, noise, arithmetic, digits)


def _at_threshold(
    result: sp.Expr, given: Law | Any, noise: Any, arithmetic: str, digits: int
) -> Any:
    law = given if isinstance(given, Law) else law_of(Fraction(given))
    strength = Fraction(noise)
    labels = law.strength + sp.Rational(strength) / 2
    if strength <= 0:
        raise BadInput(
            "noise",
            noise,
            "must be greater than 0 for an interpolation threshold",
            "without noise the target itself interpolates at any alpha; see perfect-recovery",
        )

    def equation(numbers: Arithmetic, delta: Any) -> Any:
        known = Evaluator(numbers, {})(labels)
        return law.noisy(numbers, delta).evaluate(LABEL_STRENGTH, 0) - known

    return solve_then_evaluate(
        equation,
        _bracket(float(law.mean), float(law.strength), float(strength) / 2),
        lambda numbers, delta: law.noisy(numbers, delta).evaluate(result, 0),
        arithmetic,
        digits,
    )


def _bracket(mean: float, strength: float, noise: float) -> tuple[Fraction, Fraction]:
    """Ends between which the label strength passes Q: over q0 it rises slower than delta/sqrt(q0)
    at small delta, and at large delta as 4 mean delta/(3 pi)."""
    unit, rise = strength**0.5, noise / strength
    return Fraction(unit * min(rise, 1) / 10), Fraction(3 * ((strength + noise) / mean + unit))


#: Coefficient of delta^3 in noise, for small noise and kappa0 < 1.
SMALL_NOISE = 8 * sym.kappa0 ** sp.Rational(3, 2) * sp.sqrt(1 - sym.kappa0) / (3 * sp.pi)

#: a_int to first order in noise^(1/3), for kappa0 < 1.
AT_SMALL_NOISE = (1 + 2 * sym.kappa0 - sym.kappa0**2) / 4 - sp.Rational(
    3, 4
) * SMALL_NOISE ** sp.Rational(2, 3) * sym.noise ** sp.Rational(1, 3)

#: a_int to first order in 1/Q, for large noise.
AT_LARGE_NOISE = sp.Rational(1, 4) + 8 * sym.kappa0 / (9 * sp.pi**2 * sym.q_label)


@cache
def interpolation(law: Law | None = None) -> Derivation:
    """The largest amount of noisy data that a positive map can fit. theory.md section 7.

    Parameters
    ----------
    law : Law, optional
        Of the target; by default Wishart, with kappa0 a symbol.
    """
    curve = WISHART if law is None else law.curve
    form = closed_form(curve)
    ours = curve == WISHART
    limits = {
        "small-noise": Asymptotically(sym.a_int, AT_SMALL_NOISE, evaluate=False),
        "large-noise": Asymptotically(sym.a_int, AT_LARGE_NOISE, evaluate=False),
    }
    return Derivation(
        key="interpolation",
        title="Interpolation threshold",
        statement=(
            "For lam -> 0+ and noise > 0 the training error is zero up to alpha D = a_int and "
            "positive beyond. At the threshold the PSD constraint alone selects the solution: "
            "epsilon = 0."
        ),
        equations={
            "signal": sp.Eq(sym.q0 + sym.noise / 2, LABEL_STRENGTH, evaluate=False),
            "samples": sp.Eq(sym.a_int, SAMPLES, evaluate=False),
            **form,
            **(limits if ours else {}),
            "peak-m": sp.Eq(sym.m, RATIO * sym.q_label, evaluate=False),
            "peak-q": sp.Eq(sym.q, RATIO**2 * sym.J, evaluate=False),
        },
        assumptions=(
            "noise > 0; without noise the target itself interpolates at any alpha",
            "lam -> 0+ after d -> infinity, and the width ratio kappa does not limit the rank",
            "J and J1 are taken at (delta, 0)"
            + ("; the small-noise form needs kappa0 < 1" if ours else ""),
        ),
        steps=(
            Step(
                SIGNAL_EQUATION,
                "at the threshold the trace is no longer free to shrink: epsilon -> 0, and J2 "
                "stays finite",
                sp.Eq(sym.q_label, LABEL_STRENGTH, evaluate=False),
                exactly(lambda: sp.limit(SIGNAL_EQUATION.rhs, sym.epsilon, 0) - LABEL_STRENGTH),
            ),
            Step(
                sp.Eq(sym.q_label, LABEL_STRENGTH, evaluate=False),
                f"insert the closed forms of the {curve.name} law, reduced modulo the polynomial; "
                + ("g is its root with Im g < 0" if curve.half_plane < 0 else "u is its root")
                + (" and s = sqrt(kappa0)" if ours else ""),
                form[f"{curve.name}-signal"],
                by_numbers(
                    lambda: _closed_form_pairs(law or law_of(Fraction(2, 5))),
                    "against quadrature over the density",
                ),
            ),
            *(_limit_steps(form["wishart-samples"], limits) if ours else ()),
            Step(
                sp.Eq(sym.m, RATIO * (2 * sym.J - sym.delta * sym.J1) / 2, evaluate=False),
                "insert the equation for Q at epsilon = 0",
                sp.Eq(sym.m, RATIO * sym.q_label, evaluate=False),
                exactly(lambda: RATIO * ((2 * sym.J - sym.delta * sym.J1) / 2 - LABEL_STRENGTH)),
            ),
        ),
        source="sections 7 and 8",
        numeric=interpolation_value,
    )


def _limit_steps(samples: sp.Basic, limits: Mapping[str, sp.Basic]) -> tuple[Step, ...]:
    """Small and large noise, of the Wishart target."""
    return (
        Step(
            samples,
            "small delta at epsilon = 0: Q - q0 = c delta^3/2 and a falls linearly in delta, "
            "c = 8 kappa0^(3/2) sqrt(1 - kappa0)/(3 pi); eliminate delta",
            limits["small-noise"],
            by_numbers(_small_noise_pairs, "closed form at delta = 1e-60"),
        ),
        Step(
            samples,
            "large delta: Q = 4 sqrt(kappa0) delta/(3 pi) and a - 1/4 = 2 sqrt(kappa0)/"
            "(3 pi delta); eliminate delta",
            limits["large-noise"],
            by_numbers(_large_noise_pairs, "closed form at delta = 1e60"),
        ),
    )


def _law(kappa0: Any, delta: Any, digits: int) -> NumericLaw:
    root = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
    return NumericLaw(WISHART, {"s": root, "delta": delta}, "mpmath", digits)


def _closed_form_pairs(target: Law) -> list[tuple[Any, Any]]:
    """J and J1 at (delta, 0) by quadrature, square-root edges removed, against the closed form.

    At a delta so large that there is one band.
    """
    digits = CHECK_DIGITS + 10
    with mpmath.workdps(digits + 10):
        far = mpmath.mpf(3) * mpmath.ceil(mpmath.sqrt(float(target.strength)))
        law = target.noisy(Mpmath(digits), far)
        ((_, top),) = law.bands()

        def above_zero(weight: Any) -> Any:
            def integrand(angle: Any) -> Any:
                x = top * mpmath.sin(angle) ** 2
                transform = law.transform(x)
                return -weight(x, transform) * transform.imag * top * mpmath.sin(2 * angle)

            ends = [0, mpmath.pi / 2]
            return mpmath.quad(integrand, ends, method="gauss-legendre", maxdegree=6) / mpmath.pi

        delta = law.values["delta"]
        value = above_zero(lambda x, _: x**2)
        slope = above_zero(lambda x, transform: 4 * delta * x * transform.real)
        closed = [one.rhs for one in list(closed_form(target.curve).values())[1:]]  # type: ignore[attr-defined]
        at = {**law.values, "g": law.root(0), "u": law.root(0)}
        left = [evaluate(form, at, "mpmath", digits) for form in closed]
        return [(left[0], value - delta * slope / 2), (left[1], slope / (4 * delta))]


def _small_noise_pairs() -> list[tuple[Any, Any]]:
    digits = 5 * CHECK_DIGITS
    with mpmath.workdps(digits):
        small, kappa0 = mpmath.mpf(10) ** -60, Fraction(3, 10)
        law = _law(kappa0, small, digits)
        noise = 2 * (law.evaluate(LABEL_STRENGTH, 0) - 1 - mpmath.mpf(3) / 10)
        at = {"kappa0": kappa0}
        coefficient = evaluate(SMALL_NOISE, at, "mpmath", digits)
        zeroth = evaluate(AT_SMALL_NOISE.subs(sym.noise, 0), at, "mpmath", digits)
        drop = (zeroth - law.evaluate(SAMPLES, 0)) / small
        return [(noise / small**3, coefficient), (drop, mpmath.mpf(3) / 4 * coefficient)]


def _large_noise_pairs() -> list[tuple[Any, Any]]:
    digits = 5 * CHECK_DIGITS
    with mpmath.workdps(digits):
        kappa0 = Fraction(3, 10)
        law = _law(kappa0, mpmath.mpf(10) ** 60, digits)
        at = {"kappa0": kappa0, "q_label": law.evaluate(LABEL_STRENGTH, 0)}
        limit = evaluate(AT_LARGE_NOISE, at, "mpmath", digits)
        quarter = mpmath.mpf(1) / 4
        return [((law.evaluate(SAMPLES, 0) - quarter) / (limit - quarter), mpmath.mpf(1))]
