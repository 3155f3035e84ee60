# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
"""The limit of small rank: one outlier above a bulk of noise."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.free_convolution import WISHART, NumericLaw
from attlas.symbolic.functions import Asymptotically
from attlas.symbolic.thresholds.reduction import SAMPLE_EQUATION, SIGNAL_EQUATION
from attlas.symbolic.thresholds.root import as_function, solve_then_evaluate

_DEL, _EPS, _B, _ALP = sym.delta_r, sym.epsilon_r, sym.bulk, sym.alpha_r
_OUT = sym.outlier
_ROOT = sp.sqrt(sym.kappa0)

#: Height of the outlier above the threshold, for delta_r < 1 and where it is positive.
OUTLIER = 1 + _DEL**2 - _EPS

#: J, J1 and J2 at leading order, with the bulk's multiplier in the derivatives.
LEADING = {
    sym.J: _OUT**2,
    sym.J1: _ROOT * (4 * _DEL * _OUT + _EPS * _B),
    sym.J2: -_ROOT * (2 * _OUT + _DEL * _B),
    sym.delta: _DEL / _ROOT,
    sym.epsilon: _EPS / _ROOT,
}

#: Overlaps at any lam.
NORM = sym.eta**2 * _OUT**2
ALIGNMENT = sym.eta * _OUT * (1 - _DEL**2)
VARIANCE = sym.kappa0 * (4 * _DEL * _OUT + _EPS * _B) / (2 * _DEL * sym.sigma_hat)

#: The ridgeless limit, as noise/2 in terms of delta_r.
HALF_NOISE = _DEL**2 * (2 * _ALP * sym.label_rank - 6 + 8 * _DEL - 3 * _DEL**2)
MULTIPLIER = 2 * (_ALP * sym.label_rank - (1 - _DEL) ** 2)

WEAK_RECOVERY = (1 + sym.noise / 2) / 2
PERFECT_RECOVERY = sp.Integer(3)


def small_rank_overlaps(
    samples: Any, noise: Any, arithmetic: str = "mpmath", digits: int = 50
) -> tuple[Any, Any]:
    """(q, m) of the ridgeless limit at beta = beta0, for kappa0 -> 0.

    Parameters
    ----------
    samples : exact number
        alpha D/kappa0.
    noise : exact number > 0
    arithmetic, digits : see ``perfect_recovery_value``

    Notes
    -----
    Zero below weak recovery. theory.md section 9.
    """
    count, strength = Fraction(samples), Fraction(noise)
    if strength <= 0:
        raise BadInput("noise", noise, "must be greater than 0", "use perfect-recovery at 0")
    if count <= (1 + strength / 2) / 2:
        return (Fraction(0), Fraction(0))
    given = {"alpha_r": count, "label_rank": 1, "noise": strength}
    equation = as_function(HALF_NOISE - sym.noise / 2, _DEL, given)
    found = []
    for result in ((1 - _DEL) ** 4, (1 - _DEL) ** 3 * (1 + _DEL)):
        found.append(
            solve_then_evaluate(
                equation,
                (Fraction(0), Fraction(1)),
                as_function(result, _DEL, given),
                arithmetic,
                digits,
            )
        )
    return (found[0], found[1])


@cache
def small_rank() -> Derivation:
    """kappa0 -> 0 with alpha = kappa0 alpha_r (theory.md section 9)."""
    at_bulk = {_EPS: 2 * _DEL, _OUT: (1 - _DEL) ** 2}
    leading = Asymptotically(sym.J, _OUT**2, evaluate=False)
    return Derivation(
        key="small-rank",
        title="Small-rank limit",
        statement=(
            "For kappa0 -> 0 with alpha = kappa0 alpha_r, delta = delta_r/sqrt(kappa0) and "
            "epsilon = epsilon_r/sqrt(kappa0), the spectrum is one outlier at (1 + delta_r^2)/"
            "sqrt(kappa0) of weight kappa0 above a semicircle of noise; weak recovery starts at "
            "alpha_r D = (1 + noise/2)/2 and recovery without noise is perfect at alpha_r D = 3."
        ),
        equations={
            "outlier": sp.Eq(_OUT, OUTLIER, evaluate=False),
            "q": Asymptotically(sym.q, NORM, evaluate=False),
            "m": Asymptotically(sym.m, ALIGNMENT, evaluate=False),
            "sigma": Asymptotically(sym.sigma, VARIANCE, evaluate=False),
            "ridgeless-threshold": sp.Eq(_EPS, 2 * _DEL, evaluate=False),
            "ridgeless-bulk": sp.Eq(_B, MULTIPLIER, evaluate=False),
            "ridgeless-noise": sp.Eq(sym.noise / 2, HALF_NOISE, evaluate=False),
            "weak-recovery": sp.Eq(_ALP * sym.label_rank, WEAK_RECOVERY, evaluate=False),
            "perfect-recovery": sp.Eq(_ALP * sym.label_rank, PERFECT_RECOVERY, evaluate=False),
        },
        assumptions=(
            "kappa0 -> 0 after d -> infinity; the limit is approached slowly, as kappa0^(2/5)",
            "delta_r < 1, else the outlier is inside the bulk and nothing is learned",
            "bulk >= 0, epsilon_r >= 2 delta_r and bulk (epsilon_r - 2 delta_r) = 0: the bulk "
            "touches the threshold or does not act",
        ),
        steps=(
            Step(
                "J(delta, epsilon)",
                "a spike of strength 1/sqrt(kappa0) and weight kappa0 moves to theta + delta^2/"
                "theta; above the bulk only it contributes",
                leading,
                by_numbers(_outlier_pairs, "closed form of J at kappa0 = 1e-60"),
            ),
            Step(
                "bulk part of J",
                "it is homogeneous of degree 2 in (delta, epsilon) and vanishes with kappa0 where "
                "its derivatives stay finite: delta J1 = -epsilon J2 =: delta_r epsilon_r bulk",
                Asymptotically(sym.J1, LEADING[sym.J1], evaluate=False),
                exactly(
                    lambda: (
                        sym.delta * (LEADING[sym.J1] - 4 * _ROOT * _DEL * _OUT)
                        + sym.epsilon * (LEADING[sym.J2] + 2 * _ROOT * _OUT)
                    ).subs(LEADING)
                ),
            ),
            Step(
                sp.Eq(
                    sym.m,
                    sym.eta / 2 * (2 * sym.J - sym.delta * sym.J1 - sym.epsilon * sym.J2),
                    evaluate=False,
                ),
                "insert the leading forms",
                Asymptotically(sym.m, ALIGNMENT, evaluate=False),
                exactly(_alignment_difference),
            ),
            Step(
                SAMPLE_EQUATION,
                "ridgeless: the bulk touches the threshold, epsilon_r = 2 delta_r",
                sp.Eq(_B, MULTIPLIER, evaluate=False),
                exactly(
                    lambda: (
                        SAMPLE_EQUATION.rhs.subs(LEADING).subs(LEADING).subs(at_bulk) / sym.kappa0
                        - _ALP * sym.label_rank
                    ).subs(_B, MULTIPLIER)
                ),
            ),
            Step(
                SIGNAL_EQUATION,
                "with Q = 1 + noise/2 in the limit",
                sp.Eq(sym.noise / 2, HALF_NOISE, evaluate=False),
                exactly(
                    lambda: (
                        SIGNAL_EQUATION.rhs.subs(LEADING).subs(LEADING).subs(at_bulk)
                        - 1
                        - HALF_NOISE
                    ).subs(_B, MULTIPLIER)
                ),
            ),
            Step(
                sp.Eq(sym.noise / 2, HALF_NOISE, evaluate=False),
                "delta_r = 1 is weak recovery; delta_r -> 0 at noise = 0 is perfect recovery",
                sp.Eq(_ALP * sym.label_rank, WEAK_RECOVERY, evaluate=False),
                exactly(_recovery_difference),
            ),
        ),
        source="section 9",
        numeric=small_rank_overlaps,
    )


def _alignment_difference() -> sp.Expr:
    general = sym.eta / 2 * (2 * sym.J - sym.delta * sym.J1 - sym.epsilon * sym.J2)
    return (general.subs(LEADING).subs(LEADING) - ALIGNMENT).subs(_OUT, OUTLIER)


def _recovery_difference() -> sp.Expr:
    """Zero iff both thresholds solve the equation; the squares keep them apart."""
    weak = HALF_NOISE.subs(_DEL, 1) - sym.noise / 2
    perfect = sp.limit(HALF_NOISE / _DEL**2, _DEL, 0)
    at_weak = weak.subs(_ALP, WEAK_RECOVERY / sym.label_rank)
    at_perfect = perfect.subs(_ALP, PERFECT_RECOVERY / sym.label_rank)
    return at_weak**2 + at_perfect**2


def _outlier_pairs() -> list[tuple[Any, Any]]:
    digits = 4 * CHECK_DIGITS
    with mpmath.workdps(digits):
        root, noise_level, threshold = mpmath.mpf(10) ** -30, mpmath.mpf("0.4"), mpmath.mpf("0.9")
        law = NumericLaw(WISHART, {"s": root, "delta": noise_level / root}, "mpmath", digits)
        height = 1 + noise_level**2 - threshold
        return [
            (law.J(threshold / root), height**2),
            (law.J1(threshold / root) / root, 4 * noise_level * height),
        ]
