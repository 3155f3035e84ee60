# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOperatorIssue=false, reportReturnType=false
"""Where drawn labels can be fitted without error: from state evolution, and from cones."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.arithmetic import Arb, Arithmetic, Mpmath
from attlas.symbolic.channels import Channel
from attlas.symbolic.derivation import CHECK_DIGITS, Derivation, Step, by_numbers, exactly
from attlas.symbolic.estimators import DIRECT_PSD
from attlas.symbolic.evaluate import Evaluator
from attlas.symbolic.functions import Both, Gain, normal_density, normal_mass
from attlas.symbolic.state_evolution import state_evolution
from attlas.symbolic.thresholds.root import solve_then_evaluate

_J, _J1, _DELTA, _Q, _RHO = sym.J, sym.J1, sym.delta, sym.q_label, sym.aligned
#: Of two scores: their means, as said below, and their correlation.
_X, _Y, _R = sp.symbols("xi_1 xi_2 r", real=True)

#: Of the map eta (S0 + delta Z)_+ in J and J1 at epsilon = 0: its overlap with the teacher.
ALIGNMENT = (2 * _J - _DELTA * _J1) / (2 * sp.sqrt(_Q * _J))
#: (Share of the noise that the map can follow)^2 over the squared distance that it must cover.
SAMPLES = _J1**2 / (8 * _J * sym.far)


def mean_square_above(x: Any) -> sp.Expr:
    """Mean of (x + u)_+^2, u normal."""
    return (1 + x**2) * normal_mass(x) + x * normal_density(x)


def corner_distance() -> sp.Expr:
    """Mean squared distance of two normal numbers of variance 1 and correlation r to x, y >= 0.

    In their own metric. xi_1 is the mean of the first over its deviation given the second, where
    the second's is 0, and so on.
    """
    root = sp.sqrt(1 - _R**2)
    first, second = (_X + _R * _Y) / root, (_Y + _R * _X) / root
    norm = (_X**2 + _Y**2 + 2 * _R * _X * _Y) / (1 - _R**2)
    one = mean_square_above(-first) * normal_mass(_Y) - _X * normal_density(_X) * normal_mass(
        -second
    )
    other = mean_square_above(-second) * normal_mass(_X) - _Y * normal_density(_Y) * normal_mass(
        -first
    )
    return one + other + (2 + norm) * Both(-_X, -_Y, -_R)


# --- one choice a row ---------------------------------------------------------------------------

#: q over the part of q that the teacher's direction takes, less 1.
_T, _SHARE = sp.symbols("chi nu", nonnegative=True)
#: Q/Q0 is 1 + nu here, chi the teacher's share of the map over the rest, k of Gain.
_STRETCH = 1 + _SHARE + _SHARE * _T**2
_K = _T / sp.sqrt(_STRETCH)
#: Digits at which the minimum is bracketed.
_COARSE = 15
#: The least squared distance over 1 - rho^2 Q/Q0, as a function of chi: convex.
ROWS = (1 + _T**2) / 2 - _STRETCH / (2 * (1 + _SHARE)) * Gain(_K)


def rows_value(signal: Any, noise_ratio: Any, arithmetic: str = "mpmath", digits: int = 50) -> Any:
    """a_sep = alpha_sep D for independent rows of two keys, whatever the target.

    Parameters
    ----------
    signal : exact number > 0
        2 beta0^2 Q, the variance of a teacher's choice.
    noise_ratio : exact number >= 0
        Q/Q0 - 1.
    arithmetic : {"float64", "mpmath", "arb"}
        In arb the ball is proven to contain the value.
    digits : int
    """
    slope, coarse = sp.diff(ROWS, _T), Mpmath(_COARSE)

    def function(expression: sp.Expr) -> Callable[[Arithmetic, Any], Any]:
        def at(numbers: Arithmetic, t: Any) -> Any:
            values = {"chi": t, "nu": Fraction(noise_ratio)}
            return Evaluator(numbers, values, _gains(numbers, Fraction(signal)))(expression)

        return at

    top, rising = Fraction(2), function(slope)
    while rising(coarse, coarse.read(top)) < 0:
        top *= 2
    return solve_then_evaluate(
        function(slope), (Fraction(0), top), function(1 / ROWS), arithmetic, digits
    )


def _gains(numbers: Arithmetic, signal: Fraction) -> dict[str, Callable[[Any], Any]]:
    """Gain and its slope as enclosed integrals over the normal u."""

    def mean(k: Any, slope: bool) -> Any:
        balls = Arb(numbers.digits)
        with balls.precision():
            return numbers.read(_enclosed_gain(balls.read(k), balls.read(signal), slope))

    return {"Gain": lambda k: mean(k, False), "GainSlope": lambda k: mean(k, True)}


def _enclosed_gain(k: flint.arb, signal: flint.arb, slope: bool) -> flint.arb:
    """Twice the integral over u > 0, its tail bounded: tanh < 1 and erf < 1."""
    half, two = signal.sqrt() / 2, flint.arb(2)
    density = 1 / (2 * flint.arb.pi()).sqrt()

    def integrand(u: flint.acb, _: bool) -> flint.acb:
        x = u * k
        bell = density * (-x * x / 2).exp()
        erf = (x / two.sqrt()).erf()
        inside = u * (2 * x * erf + 4 * bell) if slope else (1 + x * x) * erf + 2 * x * bell
        return (u * half).tanh() * inside * density * (-u * u / 2).exp()

    end = flint.arb(int((flint.ctx.prec * 1.4) ** 0.5) + 3)
    found = flint.acb.integral(integrand, 0, end).real
    mass = (end / two.sqrt()).erfc() / 2
    bell = density * (-end * end / 2).exp()
    if slope:
        tail = 2 * abs(k) * (end * bell + mass) + 4 * bell
    else:
        tail = 2 * mass + k * k * (end * bell + mass)
    return 2 * (found + flint.arb(0, abs(tail).upper()))


# --- the derivation -----------------------------------------------------------------------------


class _Far(sp.Function):
    """The squared distance as a function of rho."""

    nargs = (1,)

    def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002
        return _FarSlope(*self.args)


class _FarSlope(sp.Function):
    nargs = (1,)


def hard_channel() -> Channel:
    """Labels drawn, and a loss that is 0 on the scores that fit them: M of q D(rho)/(2 sigma)."""
    return Channel(
        name="hard labels",
        label_law="drawn from the teacher's softmax",
        loss="zero where the label's score is the largest of its row",
        label_rank=sym.label_rank,
        scale=sp.Integer(1),
        closed_form=sym.q * _Far(sym.m / sp.sqrt(_Q * sym.q)) / (2 * sym.sigma),
    )


#: -D'/D at the threshold.
_FALL = 4 * sp.sqrt(_Q * _J) / (_DELTA * _J1)


@cache
def separability() -> Derivation:
    """The largest amount of data whose drawn labels can be fitted. theory.md section 18."""
    return Derivation(
        key="separability",
        title="Separability of drawn labels",
        statement=(
            "For labels drawn from the teacher's softmax and lam -> 0+, the cross-entropy vanishes "
            "up to alpha = max over delta of J1^2/(8 J D), where q diverges and the direction of S "
            "is that of the widest margin; beyond, some label of the data is always missed, and q "
            "stays finite."
        ),
        equations={
            "alignment": sp.Eq(_RHO, ALIGNMENT, evaluate=False),
            "samples": sp.Eq(sym.alpha, SAMPLES, evaluate=False),
            "widest": sp.Eq(-sym.far_slope / sym.far, _FALL, evaluate=False),
            "rows": sp.Eq(1 / sym.a_sep, ROWS, evaluate=False),
        },
        assumptions=(
            "lam -> 0+ after d -> infinity, and the width does not limit the rank",
            "J and J1 are taken at (delta, 0) for positive semi-definite maps; without the "
            "constraint J = q0 + delta^2 and J1 = 2 delta; maps that are not symmetric allow "
            "twice the alpha",
            "two tokens: the distance is 1 - rho^2 times the mean of the corner's distance over "
            "labels and over z0, with means rho z0/sqrt(1 - rho^2)",
            "rows: any map, two keys, least over chi, alpha D < a_sep; nu = Q/q0 - 1, I(k) is "
            "the mean of tanh(b u/2) ((1 + x^2) erf(x/sqrt 2) + 2 x phi(x)), x = k u, u normal, "
            "b^2 = 2 beta0^2 Q",
        ),
        steps=(
            Step(
                hard_channel().loss,
                "scores of size sqrt(q) that diverge feel the label's constraints alone: M = q D/"
                "(2 sigma), D at rho = m/sqrt(Q q); the six equations leave one for alpha",
                sp.Eq(sym.alpha, SAMPLES, evaluate=False),
                exactly(lambda: _state_evolution_gap(sym.q_hat)),
            ),
            Step(
                hard_channel().loss,
                "the equation for m_hat, divided by that for alpha",
                sp.Eq(-sym.far_slope / sym.far, _FALL, evaluate=False),
                exactly(lambda: _state_evolution_gap(sym.m_hat)),
            ),
            Step(
                hard_channel().loss,
                "the equation for sigma_hat holds with the other two: D is homogeneous",
                sp.Eq(sym.sigma * sym.sigma_hat, _J1 / (2 * _DELTA), evaluate=False),
                exactly(lambda: _state_evolution_gap(sym.sigma_hat)),
            ),
            Step(
                "cones: Gordon's inequality for maps S >= 0",
                "of all S of one overlap with S0 and one norm, (S0 + delta Z)_+ follows independent"
                " noise best, by J1/2; labels are fitted for (J1/2)^2 > 2 alpha J D; at the best"
                " delta, with dJ/d(delta) = J1, the derivative of the ratio vanishes for any second"
                " derivative of J where D'/D is that of state evolution",
                sp.Eq(-sym.far_slope / sym.far, _FALL, evaluate=False),
                exactly(_conic_gap),
            ),
            Step(
                sp.Eq(sym.alpha, SAMPLES, evaluate=False),
                "the squared distance of two scores to a corner, whose sides and tip are reached "
                "with normal chances",
                "the closed form of theory.md, section 18, up to a mean over z0",
                by_numbers(_corner_pairs, "against quadrature over the angle"),
            ),
            Step(
                sp.Eq(sym.alpha, SAMPLES, evaluate=False),
                "without a cone J = q0 + delta^2 for any spectrum: (J1/2)^2/J = 1 - rho^2 Q/q0, "
                "which is 1/(1 + chi^2)",
                sp.Eq(1 / sym.a_sep, ROWS, evaluate=False),
                exactly(_rows_gap),
            ),
        ),
        source="section 18",
        numeric=rows_value,
    )


def _state_evolution_gap(which: sp.Symbol) -> sp.Expr:
    """How far one conjugate of the six equations is from what the threshold says of it."""
    hats = state_evolution(hard_channel(), DIRECT_PSD).updates
    slope = sp.Symbol("far_slope")
    scale = sp.Symbol("m_hat", positive=True)
    # q = (m_hat/sigma_hat)^2 J and m = (m_hat/sigma_hat) (2 J - delta J1)/2 at no penalty.
    stiffness = scale * sp.sqrt(_J) / sp.sqrt(sym.q)
    sigma = _J1 / (2 * _DELTA * stiffness)
    claims = {sym.q_hat: (_DELTA * scale) ** 2, sym.m_hat: scale, sym.sigma_hat: stiffness}
    found = hats[which].replace(_FarSlope, lambda _: slope).replace(_Far, lambda _: sym.far)
    found = found.subs(slope, -_FALL * sym.far).subs(sym.alpha, SAMPLES)
    found = found.subs(sym.m, ALIGNMENT * sp.sqrt(_Q * sym.q)).subs(sym.sigma, sigma)
    return sp.powsimp(sp.simplify(found / claims[which] - 1), force=True)


def _conic_gap() -> sp.Expr:
    """The derivative in delta of log(J1^2/(J D(rho))), where D'/D is what it is."""
    j = sp.Function("j", positive=True)(_DELTA)
    slope, bend = (sp.Symbol(name, positive=True) for name in ("j1", "j11"))

    def at(expression: sp.Expr) -> sp.Expr:
        bare = expression.subs(sp.diff(j, _DELTA, 2), bend).subs(sp.diff(j, _DELTA), slope)
        return bare.subs(j, _J)

    names = {_J: j, _J1: sp.diff(j, _DELTA)}
    alignment = ALIGNMENT.subs(names)
    ratio = at(sp.diff(sp.log(names[_J1] ** 2 / j), _DELTA))
    fall = _FALL.subs(_J1, slope)
    return sp.simplify(ratio + fall * at(sp.diff(alignment, _DELTA)))


def _corner_pairs() -> list[tuple[Any, Any]]:
    """The closed form, and the integral over the angle at which the scores lie."""
    chance = random.Random(18)
    pairs = []
    for r in (Fraction(1, 3), Fraction(-1, 3)):
        x, y = (Fraction(chance.randint(-2000, 2000), 1000) for _ in range(2))
        with mpmath.workdps(CHECK_DIGITS + 15):
            numbers = Arb(CHECK_DIGITS + 15)
            with numbers.precision():
                values = {"xi_1": x, "xi_2": y, "r": r}
                form = Evaluator(numbers, values, {"Both": both_below})(corner_distance())
                found = mpmath.mpf(form.mid().str(CHECK_DIGITS + 15, radius=False))
            pairs.append((found, _over_angles(x, y, r)))
    return pairs


def both_below(x: flint.arb, y: flint.arb, r: flint.arb) -> flint.arb:
    """``Both`` enclosed, from the integral of its derivative in r from 0."""

    def slope(s: flint.acb, _: bool) -> flint.acb:
        rest = 1 - s * s
        return (-(x * x - 2 * s * x * y + y * y) / (2 * rest)).exp() / (rest.sqrt() * two_pi)

    two_pi, root = 2 * flint.arb.pi(), flint.arb(2).sqrt()
    apart = ((1 + (x / root).erf()) / 2) * ((1 + (y / root).erf()) / 2)
    return apart + flint.acb.integral(slope, 0, r).real


def _over_angles(x: Fraction, y: Fraction, r: Fraction) -> Any:
    """E dist^2 in the plane where both numbers are independent, by rays from the corner."""
    first, second, ratio = (mpmath.mpf(v.numerator) / v.denominator for v in (x, y, r))
    root = mpmath.sqrt(1 - ratio**2)
    means = [(first + ratio * second) / root, (second + ratio * first) / root]
    half = mpmath.acos(ratio) / 2
    # Unit normals of the two sides lie at angles +half and -half; the bisector is 0.
    across = (means[0] - means[1]) / (2 * mpmath.sin(half))
    along = (means[0] + means[1]) / (2 * mpmath.cos(half))
    size = along**2 + across**2

    def ray(angle: Any) -> Any:
        p = along * mpmath.cos(angle) + across * mpmath.sin(angle)
        full = (p**3 + 3 * p) * mpmath.exp((p**2 - size) / 2) * mpmath.ncdf(p)
        radial = (2 + p**2) * mpmath.exp(-size / 2) + full * mpmath.sqrt(2 * mpmath.pi)
        edge = mpmath.pi / 2 - half
        beyond = abs(angle) - edge
        part = mpmath.sin(beyond) ** 2 if beyond < mpmath.pi / 2 else 1
        return part * radial / (2 * mpmath.pi)

    edge = mpmath.pi / 2 - half
    ends = [edge, edge + mpmath.pi / 2, mpmath.pi]
    return mpmath.quad(ray, ends) + mpmath.quad(ray, [-end for end in reversed(ends)])


def _rows_gap() -> sp.Expr:
    """2 alpha D of SAMPLES at J = q0 + delta^2, for twice the freedom, beside 1/ROWS."""
    free = {_J: sym.q0 + _DELTA**2, _J1: 2 * _DELTA}
    alignment = ALIGNMENT.subs(free)
    # The distance of one choice: mean over u and labels of the squared part on the wrong side.
    distance = (1 - (1 - _RHO**2) * Gain(_RHO / sp.sqrt(1 - _RHO**2))) / 2
    found = 2 * SAMPLES.subs(sym.far, distance).subs(_RHO, alignment).subs(free)
    t = sp.sqrt(sym.q0) / _DELTA
    wanted = (1 / ROWS).subs(_T, t).subs(_SHARE, _Q / sym.q0 - 1)
    at = sp.Symbol("y", positive=True)
    pair = [sp.simplify(one.replace(Gain, lambda _: at)) for one in (found, wanted)]
    inside = [next(iter(one.atoms(Gain))).args[0] ** 2 for one in (found, wanted)]
    return sp.simplify(pair[0] - pair[1]) ** 2 + sp.simplify(inside[0] - inside[1]) ** 2
