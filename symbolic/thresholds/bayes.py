"""The Bayes-optimal overlap and its recovery threshold."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.free_convolution import WISHART, NumericLaw

#: Integral of the cube of the density of S0 + delta Z.
CUBE = sym.cube

#: The two Bayes-optimal equations, with delta^2 = 1/q_hat.
CONJUGATE = 2 * sym.a / (sym.q0 - sym.q + sym.noise / 2)
OVERLAP = sym.q0 - 1 / sym.q_hat + 4 * sp.pi**2 / (3 * sym.q_hat**2) * CUBE

#: Free energy per d^2 without the information I(q_hat) that S0 + Z/sqrt(q_hat) holds, of which
#: dI/dq_hat = (q0 - q)/4: stationary at the two equations.
POTENTIAL = sym.a / 2 * sp.log(sym.q0 - sym.q + sym.noise / 2) - sym.q_hat * (sym.q0 - sym.q) / 4

#: The recovery threshold for kappa0 < 1.
THRESHOLD = sym.kappa0 - sym.kappa0**2 / 2


def bayes_value(kappa0: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """a_BO at kappa0 > 0: kappa0 - kappa0^2/2 below 1, and 1/2 beyond."""
    if Fraction(kappa0) >= 1:
        return evaluate(sp.Rational(1, 2), {}, arithmetic, digits)
    return evaluate(THRESHOLD, {"kappa0": kappa0}, arithmetic, digits)


@cache
def bayes() -> Derivation:
    """The Bayes-optimal equations and threshold (theory.md section 12)."""
    error = sym.delta**2 - sp.Rational(4, 3) * sp.pi**2 * sym.delta**4 * CUBE
    null_cube = 3 / (4 * sp.pi**2 * sym.v)
    mass = 1 - sym.kappa0
    return Derivation(
        key="bayes",
        title="Bayes-optimal estimation",
        statement=(
            "The best achievable overlap solves two equations in (q, q_hat), where cube is the "
            "integral of the cubed density of S0 + Z/sqrt(q_hat). Without noise the target is "
            "recovered exactly when alpha D > a_BO, which is also the count of parameters."
        ),
        equations={
            "q_hat": sp.Eq(sym.q_hat, CONJUGATE, evaluate=False),
            "q": sp.Eq(sym.q, OVERLAP, evaluate=False),
            "threshold": sp.Eq(sym.a_bo, THRESHOLD, evaluate=False),
        },
        assumptions=(
            "the posterior is sampled at the true parameters, so q = m and no symmetry breaks",
            "each label acts as D Gaussian observations of variance q0 - q + noise/2: exact for "
            "labels that determine D combinations of scores",
            "kappa0 < 1 in the closed threshold; it is 1/2 beyond",
        ),
        steps=(
            Step(
                "labels to q_hat",
                "each of the D combinations of scores a label fixes has residual variance "
                "q0 - q + noise/2 given the learned map; information adds up over samples",
                sp.Eq(sym.q_hat, CONJUGATE, evaluate=False),
            ),
            Step(
                "optimal denoiser of S0 + delta Z",
                "the posterior mean keeps the eigenvectors and moves x to x - 2 delta^2 Re G(x); "
                "its squared norm needs the moments of x Re G and (Re G)^2, both known from G",
                sp.Eq(sym.q, sym.q0 - error, evaluate=False),
                by_numbers(_moment_pairs, "quadrature over the density at random points"),
            ),
            Step(
                sp.Eq(sym.q0 - sym.q, error, evaluate=False),
                "write delta^2 = 1/q_hat",
                sp.Eq(sym.q, OVERLAP, evaluate=False),
                exactly(lambda: (sym.q0 - error - OVERLAP).subs(sym.delta, 1 / sp.sqrt(sym.q_hat))),
            ),
            Step(
                "information in the labels and, with slope (q0 - q)/4, in S0 + Z/sqrt(q_hat)",
                "their sum, the free energy, is stationary in q and q_hat at the two equations",
                POTENTIAL,
                exactly(_slopes_off),
            ),
            Step(
                "cube as delta -> 0",
                "the null space carries the integral: (1 - kappa0) times a semicircle of variance "
                "v delta^2 with v = 1 - kappa0, whose cube integrates to 3/(4 pi^2 v delta^2)",
                mass**3 * null_cube.subs(sym.v, mass) / sym.delta**2,
                exactly(lambda: _semicircle_cube() - null_cube),
            ),
            Step(
                sp.Eq(2 * sym.a, sym.q_hat * (sym.q0 - sym.q), evaluate=False),
                "at recovery without noise q -> q0, delta -> 0",
                sp.Eq(sym.a_bo, THRESHOLD, evaluate=False),
                exactly(
                    lambda: (
                        error.subs(CUBE, mass**3 * null_cube.subs(sym.v, mass) / sym.delta**2)
                        / (2 * sym.delta**2)
                        - THRESHOLD
                    )
                ),
            ),
        ),
        source="section 12",
        numeric=bayes_value,
    )


def _slopes_off() -> sp.Expr:
    """What the free energy's slopes in q and q_hat leave at the two equations, squared."""
    in_q = sp.diff(POTENTIAL, sym.q).subs(sym.q_hat, CONJUGATE)
    in_q_hat = sp.diff(POTENTIAL, sym.q_hat) + (sym.q0 - sym.q) / 4
    return sp.simplify(in_q) ** 2 + sp.simplify(in_q_hat) ** 2


def _semicircle_cube() -> sp.Expr:
    angle = sp.Symbol("varphi", positive=True)
    density = sp.sin(angle) / (sp.pi * sp.sqrt(sym.v))
    return sp.integrate(density**3 * 2 * sp.sqrt(sym.v) * sp.sin(angle), (angle, 0, sp.pi))


def _moment_pairs() -> list[tuple[Any, Any]]:
    """E (x - 2 delta^2 Re G)^2 against q0 - delta^2 + (4 pi^2/3) delta^4 cube, by quadrature."""
    digits = CHECK_DIGITS + 10
    with mpmath.workdps(digits + 10):
        kappa0, delta = mpmath.mpf(2) / 5, mpmath.mpf(3)
        values = {"s": mpmath.sqrt(kappa0), "delta": delta}
        law = NumericLaw(WISHART, values, "mpmath", digits)
        ((low, high),) = law.bands()
        nodes = 110
        middle, half = (high + low) / 2, (high - low) / 2

        def average(weight: Any) -> Any:
            # In the angle the integrand is periodic and analytic: the trapezoidal rule converges
            # exponentially.
            total = mpmath.mpf(0)
            for index in range(1, nodes):
                angle = mpmath.pi * index / nodes
                x = middle + half * mpmath.cos(angle)
                transform = law.transform(x)
                density = -transform.imag / mpmath.pi
                total += weight(x, transform.real, density) * density * mpmath.sin(angle)
            return total * half * mpmath.pi / nodes

        norm = average(lambda x, hilbert, _: (x - 2 * delta**2 * hilbert) ** 2)
        cube = average(lambda _x, _h, density: density**2)
        overlap = evaluate(
            OVERLAP,
            {"q0": 1 + kappa0, "q_hat": 1 / delta**2, "cube": cube},
            "mpmath",
            digits,
        )
        return [(norm, overlap)]
