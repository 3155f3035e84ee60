# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportReturnType=false
"""The interpolation threshold: closed parametric form for the Wishart target, and its limits."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import Arithmetic
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, NumericLaw, closed_forms
from attlas.symbolic.functions import Asymptotically
from attlas.symbolic.thresholds.reduction import RATIO, SAMPLE_EQUATION, SIGNAL_EQUATION
from attlas.symbolic.thresholds.root import solve_then_evaluate

#: Left and right sides at epsilon = 0, in terms of J and J1 there.
LABEL_STRENGTH = SIGNAL_EQUATION.rhs.subs(sym.epsilon, 0)
SAMPLES = SAMPLE_EQUATION.rhs


def wishart_form() -> dict[str, sp.Basic]:
    """Both equations in closed form: the root g of one cubic, and two angles."""
    forms = closed_forms(WISHART)

    def written(expression: sp.Expr) -> sp.Expr:
        filled = expression.subs({sym.J: forms.J, sym.J1: forms.J1}).subs(sym.epsilon, 0)
        return forms.written_out(filled, sp.Integer(0)).xreplace({sym.u: sym.g})

    cubic = WISHART.stieltjes_polynomial().as_expr().subs(sym.z, 0)
    return {
        "cubic": sp.Eq(cubic, 0, evaluate=False),
        "signal": sp.Eq(sym.q_label, written(LABEL_STRENGTH), evaluate=False),
        "samples": sp.Eq(sym.a_int, written(SAMPLES), evaluate=False),
    }


def interpolation_value(
    kappa0: Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50
) -> Any:
    """a_int = alpha_int D for the Wishart target.

    Parameters
    ----------
    kappa0, noise : exact numbers > 0 (int, Fraction, decimal or fraction strings)
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
    return _at_threshold(SAMPLES, kappa0, noise, arithmetic, digits)


def peak_norm(kappa0: Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """q (beta/beta0)^2 = J(delta, 0) at the interpolation threshold (theory.md section 8)."""
    return _at_threshold(sym.J, kappa0, noise, arithmetic, digits)


def noise_level(kappa0: Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """delta at the interpolation threshold."""
    return _at_threshold(sym.delta, kappa0, noise, arithmetic, digits)


def _at_threshold(result: sp.Expr, kappa0: Any, noise: Any, arithmetic: str, digits: int) -> Any:
    ratio, strength = Fraction(kappa0), Fraction(noise)
    if strength <= 0:
        raise BadInput(
            "noise",
            noise,
            "must be greater than 0 for an interpolation threshold",
            "without noise the target itself interpolates at any alpha; see perfect-recovery",
        )

    def law(numbers: Arithmetic, delta: Any) -> NumericLaw:
        root = numbers.power(numbers.read(ratio), numbers.ratio(1, 2))
        return NumericLaw(WISHART, {"s": root, "delta": delta}, numbers)

    def equation(numbers: Arithmetic, delta: Any) -> Any:
        labels = numbers.read(1 + ratio + strength / 2)
        return law(numbers, delta).evaluate(LABEL_STRENGTH, 0) - labels

    return solve_then_evaluate(
        equation,
        _bracket(ratio, strength),
        lambda numbers, delta: law(numbers, delta).evaluate(result, 0),
        arithmetic,
        digits,
    )


def _bracket(kappa0: Fraction, noise: Fraction) -> tuple[Fraction, Fraction]:
    """Ends between which the label strength passes Q: it rises no faster than q0 + delta^3 at
    small delta, and as 4 sqrt(kappa0) delta/(3 pi) at large delta."""
    labels = 1 + kappa0 + noise / 2
    return min(noise, Fraction(1)) / 100, 3 * labels / min(kappa0, Fraction(1)) + 3


#: Coefficient of delta^3 in noise, for small noise and kappa0 < 1.
SMALL_NOISE = 8 * sym.kappa0 ** sp.Rational(3, 2) * sp.sqrt(1 - sym.kappa0) / (3 * sp.pi)

#: a_int to first order in noise^(1/3), for kappa0 < 1.
AT_SMALL_NOISE = (1 + 2 * sym.kappa0 - sym.kappa0**2) / 4 - sp.Rational(
    3, 4
) * SMALL_NOISE ** sp.Rational(2, 3) * sym.noise ** sp.Rational(1, 3)

#: a_int to first order in 1/Q, for large noise.
AT_LARGE_NOISE = sp.Rational(1, 4) + 8 * sym.kappa0 / (9 * sp.pi**2 * sym.q_label)


@cache
def interpolation() -> Derivation:
    """The largest amount of noisy data that a positive map can fit. theory.md section 7."""
    form = wishart_form()
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
            "wishart-cubic": form["cubic"],
            "wishart-signal": form["signal"],
            "wishart-samples": form["samples"],
            "small-noise": Asymptotically(sym.a_int, AT_SMALL_NOISE, evaluate=False),
            "large-noise": Asymptotically(sym.a_int, AT_LARGE_NOISE, evaluate=False),
            "peak-m": sp.Eq(sym.m, RATIO * sym.q_label, evaluate=False),
            "peak-q": sp.Eq(sym.q, RATIO**2 * sym.J, evaluate=False),
        },
        assumptions=(
            "noise > 0; without noise the target itself interpolates at any alpha",
            "lam -> 0+ after d -> infinity, and the width ratio kappa does not limit the rank",
            "J and J1 are taken at (delta, 0); the small-noise form needs kappa0 < 1",
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
                "insert the closed forms of the Wishart law, reduced modulo the cubic; g is its "
                "root with Im g < 0 and s = sqrt(kappa0)",
                form["signal"],
                by_numbers(_closed_form_pairs, "against quadrature over the density"),
            ),
            Step(
                form["samples"],
                "small delta at epsilon = 0: Q - q0 = c delta^3/2 and a falls linearly in delta, "
                "c = 8 kappa0^(3/2) sqrt(1 - kappa0)/(3 pi); eliminate delta",
                Asymptotically(sym.a_int, AT_SMALL_NOISE, evaluate=False),
                by_numbers(_small_noise_pairs, "closed form at delta = 1e-60"),
            ),
            Step(
                form["samples"],
                "large delta: Q = 4 sqrt(kappa0) delta/(3 pi) and a - 1/4 = 2 sqrt(kappa0)/"
                "(3 pi delta); eliminate delta",
                Asymptotically(sym.a_int, AT_LARGE_NOISE, evaluate=False),
                by_numbers(_large_noise_pairs, "closed form at delta = 1e60"),
            ),
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


def _law(kappa0: Any, delta: Any, digits: int) -> NumericLaw:
    root = mpmath.sqrt(mpmath.mpf(kappa0.numerator) / kappa0.denominator)
    return NumericLaw(WISHART, {"s": root, "delta": delta}, "mpmath", digits)


def _closed_form_pairs() -> list[tuple[Any, Any]]:
    """J and J1 at (delta, 0) by quadrature, square-root edges removed, against the closed form."""
    digits = CHECK_DIGITS + 10
    with mpmath.workdps(digits + 10):
        law = _law(Fraction(2, 5), mpmath.mpf(3), digits)
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
        closed = (wishart_form()["signal"].rhs, wishart_form()["samples"].rhs)  # type: ignore[attr-defined]
        at = {**law.values, "g": law.root(0)}
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
