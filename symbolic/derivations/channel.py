# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""Channels, step by step: invariances, basis, envelope and Stein forms."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from symbolic import notation as sym
from symbolic.channels import Softmax, linear_channel
from symbolic.channels.residual import moreau_envelope, r
from symbolic.channels.unimodality import (
    label,
    loss_curvature,
    share,
    unimodality_bound,
    worst_curvature,
)
from symbolic.derivation import CHECK_DIGITS, Check, Derivation, Step, by_numbers, exactly
from symbolic.evaluate import evaluate
from symbolic.functions import PairMean

_G, _A, _B = sym.g_ab, sym.a_ab, sym.b_ab
_U, _V, _U0, _V0 = sp.symbols("u v u_0 v_0", real=True)
_WEIGHT, _SPREAD = sym.pair_weight, sym.spread


def _hat_equations() -> dict[str, sp.Basic]:
    """The conjugates for any channel, in envelope form and in derivative form."""
    tilt = _A / sp.sqrt(sym.q_label) - sym.m / (sym.q_label * _SPREAD) * _B
    return {
        "spread": sp.Eq(_SPREAD, sp.sqrt(sym.q - sym.m**2 / sym.q_label), evaluate=False),
        "q_hat": sp.Eq(sym.q_hat, 2 * sym.alpha * PairMean(_WEIGHT * _G**2), evaluate=False),
        "m_hat": sp.Eq(sym.m_hat, 2 * sym.alpha * PairMean(_G * tilt), evaluate=False),
        "sigma_hat": sp.Eq(
            sym.sigma_hat, -4 * sym.alpha * PairMean(_G * _B / (2 * _SPREAD)), evaluate=False
        ),
        "m_hat-stein": sp.Eq(
            sym.m_hat, 2 * sym.alpha * PairMean(_WEIGHT * sym.dg_dz), evaluate=False
        ),
        "sigma_hat-stein": sp.Eq(
            sym.sigma_hat, -2 * sym.alpha * PairMean(_WEIGHT * sym.dg_domega), evaluate=False
        ),
    }


@cache
def linear_derivation() -> Derivation:
    """The linear channel: M in closed form (theory.md section 1)."""
    _below, above, _ = moreau_envelope(r**2)
    closed = linear_channel().closed_form
    equations = {
        "envelope": sp.Eq(sp.Symbol("envelope"), above, evaluate=False),
        "M": sp.Eq(sym.M_value, closed, evaluate=False),
        **_hat_equations(),
    }
    return Derivation(
        key="channel",
        title="Linear channel (one token, square loss)",
        statement=(
            "y = h(S0) + sqrt(noise) xi with one diagonal score; the loss is (y - h)^2, r is "
            "|y - omega|, and a label sees D = 1 combination of scores."
        ),
        equations=equations,
        assumptions=("scores are Gaussian, with variance 2 Q, 2 q and covariance 2 m",),
        steps=(
            Step(
                "min over h of (y - h)^2 + (h - omega)^2/(4 sigma)",
                "minimise (y - h)^2 + (h - omega)^2/(4 sigma) over h: the residual shrinks by "
                "1 + 4 sigma",
                equations["envelope"],
                exactly(lambda: above - _square_envelope()),
            ),
            Step(
                equations["envelope"],
                "average over r^2, whose mean is 2 (Q - 2m + q)",
                equations["M"],
                exactly(
                    lambda: closed - above.subs(r, sp.sqrt(2 * (sym.q_label - 2 * sym.m + sym.q)))
                ),
            ),
            *_envelope_steps(_linear_envelope_check(), _linear_stein_check()),
        ),
        source="section 1",
    )


@cache
def softmax_derivation(tokens: int) -> Derivation:
    """The softmax channel of T tokens (theory.md section 4)."""
    softmax = Softmax(tokens)
    size = sp.Integer(tokens)
    equations: dict[str, sp.Basic] = {
        "label_rank": sp.Eq(sym.label_rank, sp.Integer(softmax.label_rank), evaluate=False),
        "basis": softmax.basis.as_immutable(),
        **_hat_equations(),
    }
    steps = [
        Step(
            "Jacobian of the T^2 labels in the T(T+1)/2 scores",
            "row a of the labels is blind to a constant added to row a of the scores; symmetry "
            "makes the constants equal, so one direction is lost",
            sp.Eq(sym.label_rank, (size**2 + size - 2) / 2, evaluate=False),
            exactly(
                lambda: (
                    sp.Integer(softmax.label_rank - (tokens**2 + tokens - 2) // 2)
                    + sp.Integer(len(softmax.invariances) - 1) ** 2
                )
            ),
        ),
        Step(
            "scores h_ab, a <= b, with metric h^2/(1 + delta_ab)",
            "Gram-Schmidt on the complement of the lost direction: h = E zeta, zeta independent",
            softmax.basis,
            exactly(lambda: _orthonormality(softmax)),
        ),
        *_envelope_steps(_softmax_envelope_check(), None),
    ]
    if tokens == 2:
        bound = unimodality_bound()
        equations["loss"] = sp.Eq(sp.Symbol("loss"), _two_token_loss(), evaluate=False)
        equations["gradient"] = sp.Eq(
            sp.Derivative(sp.Symbol("loss"), _U), sp.diff(_two_token_loss(), _U), evaluate=False
        )
        steps.append(
            Step(
                softmax.loss,
                "a row of two entries depends on one difference: u = h_11 - h_12, v = h_22 - h_12",
                equations["loss"],
                _loss_check(softmax),
            )
        )
        equations["unimodality"] = sp.Lt(sym.sigma * sym.beta**2, bound, evaluate=False)
        steps += _unimodality_steps(bound)
    return Derivation(
        key="channel",
        title=f"Softmax channel, T = {tokens}",
        statement=(
            "y = softmax_rows(beta0 (h(S0) + sqrt(noise) xi)); the loss is the sum over all "
            "ordered (a, b) of (y - softmax_rows(beta h))_ab^2. M has no closed form; its "
            "derivatives are means of g_ab = (h* - omega)_ab/(sigma (1 + delta_ab)), with h* the "
            "proximal point, z0 = sqrt(Q) a and omega = (m/sqrt(Q)) a + sigma_omega b. The rows "
            "of the basis are the scores h_ab, a <= b, in lexicographic order."
        ),
        equations=equations,
        assumptions=(
            "scores are Gaussian, independent over a <= b, of variance (1 + delta_ab) times "
            "[[Q, m], [m, q]]",
            "h* is the global minimum of the proximal problem; the derivative (Stein) forms need "
            "it to be continuous, the envelope forms do not",
        ),
        steps=tuple(steps),
        source="sections 3 and 4",
    )


def _envelope_steps(envelope: Check, stein: Check | None) -> list[Step]:
    hats = _hat_equations()
    return [
        Step(
            "derivatives of M in m and q",
            "envelope theorem: h* is stationary, so only the explicit dependence on omega and "
            "sigma counts; omega depends on m and q through the Gaussian variables a and b",
            hats["m_hat"],
            envelope,
        ),
        Step(
            hats["m_hat"],
            "integrate by parts over a and b (Stein's lemma), for a continuous proximal map",
            hats["m_hat-stein"],
            stein or _polynomial_stein_check(),
        ),
    ]


def _square_envelope() -> sp.Expr:
    """min over the fitted residual f of f^2 + (f - r)^2/(4 sigma)."""
    fitted = sp.Symbol("f", real=True)
    objective = fitted**2 + (fitted - r) ** 2 / (4 * sym.sigma)
    best = sp.solve(sp.diff(objective, fitted), fitted)[0]
    return objective.subs(fitted, best)


def _orthonormality(softmax: Softmax) -> sp.Expr:
    """Squared distance of E^T metric^-1 E from the identity, and of E^T metric^-1 1 from zero."""
    inverse = sp.diag(*(sp.Rational(1, weight) for weight in softmax.metric))
    gram = softmax.basis.T * inverse * softmax.basis - sp.eye(softmax.label_rank)
    lost = softmax.basis.T * inverse * softmax.invariances[0]
    return sp.Add(*(entry**2 for entry in (*gram, *lost)))


def _gaussian_mean(polynomial: sp.Expr, first: sp.Symbol, second: sp.Symbol) -> sp.Expr:
    """Mean over two independent variables of variance 2 (one diagonal score)."""
    terms = sp.Poly(sp.expand(polynomial), first, second).as_dict()
    total = sp.Integer(0)
    for (i, j), coefficient in terms.items():
        if i % 2 == 0 and j % 2 == 0:
            moment = sp.factorial2(i - 1) * sp.factorial2(j - 1) * sp.Integer(2) ** ((i + j) // 2)
            total += coefficient * moment
    return total


def _linear_response() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """g for the linear channel in terms of a and b, and the two Gaussian coefficients."""
    signal = sp.sqrt(sym.q_label) * _A
    field = sym.m / sp.sqrt(sym.q_label) * _A + _SPREAD * _B
    response = 2 * (signal - field) / (1 + 4 * sym.sigma)
    return response, signal, field


def _linear_envelope_check() -> Check:
    """All three means against the derivatives of the closed M."""

    def difference() -> sp.Expr:
        response, _, _ = _linear_response()
        spread = sp.sqrt(sym.q - sym.m**2 / sym.q_label)
        closed = linear_channel().closed_form
        tilt = _A / sp.sqrt(sym.q_label) - sym.m / (sym.q_label * _SPREAD) * _B
        in_m = -_gaussian_mean(response * tilt, _A, _B) - sp.diff(closed, sym.m)
        in_q = -_gaussian_mean(response * _B / (2 * _SPREAD), _A, _B) - sp.diff(closed, sym.q)
        in_sigma = -_gaussian_mean(response**2, _A, _B) - sp.diff(closed, sym.sigma)
        return sp.Add(*(sp.simplify(e.subs(_SPREAD, spread)) ** 2 for e in (in_m, in_q, in_sigma)))

    return exactly(difference)


def _linear_stein_check() -> Check:
    def difference() -> sp.Expr:
        response, _, _ = _linear_response()
        tilt = _A / sp.sqrt(sym.q_label) - sym.m / (sym.q_label * _SPREAD) * _B
        # One diagonal score: 1 + delta_ab = 2.
        by_signal = 2 * 2 / (1 + 4 * sym.sigma)
        by_field = -by_signal
        signal = _gaussian_mean(response * tilt, _A, _B) - by_signal
        field = -2 * _gaussian_mean(response * _B / (2 * _SPREAD), _A, _B) + by_field
        return sp.simplify(signal) ** 2 + sp.simplify(field) ** 2

    return exactly(difference)


def _polynomial_stein_check() -> Check:
    """Both integrations by parts, exactly, for a generic cubic response g(z0, omega)."""

    def difference() -> sp.Expr:
        z0, field = sp.symbols("z0 field", real=True)
        coefficients = sp.symbols("c0:10", real=True)
        monomials = [z0**i * field**j for i in range(4) for j in range(4 - i)]
        response = sp.Add(*(c * e for c, e in zip(coefficients, monomials, strict=True)))
        in_gauss = {
            z0: sp.sqrt(sym.q_label) * _A,
            field: sym.m / sp.sqrt(sym.q_label) * _A + _SPREAD * _B,
        }
        tilt = _A / sp.sqrt(sym.q_label) - sym.m / (sym.q_label * _SPREAD) * _B

        def mean(expression: sp.Expr) -> sp.Expr:
            return _gaussian_mean(expression.subs(in_gauss), _A, _B)

        signal = mean(response * tilt) - 2 * mean(sp.diff(response, z0))
        curvature = mean(response * _B / _SPREAD) - 2 * mean(sp.diff(response, field))
        return sp.simplify(signal) ** 2 + sp.simplify(curvature) ** 2

    return exactly(difference, "for a generic cubic response")


def _softmax_envelope_check() -> Check:
    """d/dm, d/dq and d/dsigma of the two-token envelope at fixed (a, b), against the formulas."""
    return by_numbers(_softmax_envelope_pairs, "high-precision differences at a fixed sample")


def _softmax_envelope_pairs() -> list[tuple[Any, Any]]:
    digits = 4 * CHECK_DIGITS
    with mpmath.workdps(digits):
        step = mpmath.mpf(10) ** -40
        base = {"m": mpmath.mpf("0.7"), "q": mpmath.mpf("0.9"), "sigma": mpmath.mpf("0.5")}
        labels = mpmath.mpf("1.6")
        first = [mpmath.mpf(e) for e in ("0.3", "-0.8", "1.1")]
        second = [mpmath.mpf(e) for e in ("-0.4", "0.2", "0.5")]

        def solved(at: dict[str, Any]) -> tuple[Any, list[Any], list[Any]]:
            spread = mpmath.sqrt(at["q"] - at["m"] ** 2 / labels)
            scores = [mpmath.sqrt(labels) * e for e in first]
            field = [
                at["m"] / mpmath.sqrt(labels) * e + spread * f
                for e, f in zip(first, second, strict=True)
            ]
            return (*_two_token_proximal(scores, field, at["sigma"]), field)

        def envelope(**changes: Any) -> Any:
            return solved({**base, **changes})[0]

        pairs = []
        _, point, field = solved(base)
        weight = (2, 1, 2)
        response = [
            (h - w) / (base["sigma"] * c) for h, w, c in zip(point, field, weight, strict=True)
        ]
        spread = mpmath.sqrt(base["q"] - base["m"] ** 2 / labels)
        expected = {
            "m": -sum(
                g * (a / mpmath.sqrt(labels) - base["m"] / (labels * spread) * b)
                for g, a, b in zip(response, first, second, strict=True)
            ),
            "q": -sum(g * b / (2 * spread) for g, b in zip(response, second, strict=True)),
            "sigma": -sum(c * g**2 / 2 for g, c in zip(response, weight, strict=True)),
        }
        for name, right in expected.items():
            ahead = envelope(**{name: base[name] + step})
            behind = envelope(**{name: base[name] - step})
            pairs.append(((ahead - behind) / (2 * step), right))
        return pairs


def _two_token_proximal(scores: list[Any], field: list[Any], sigma: Any) -> tuple[Any, list[Any]]:
    """Minimum and minimiser over (h11, h12, h22) of the loss plus the proximal term, by Newton."""
    weight = (2, 1, 2)

    def logistic(value: Any) -> Any:
        return 1 / (1 + mpmath.exp(-value))

    targets = (logistic(scores[0] - scores[1]), logistic(scores[2] - scores[1]))
    ends = ((0, 1), (2, 1))
    point = list(field)
    for _ in range(60):
        gradient = [(h - w) / (sigma * c) for h, w, c in zip(point, field, weight, strict=True)]
        curvature = mpmath.diag([1 / (sigma * c) for c in weight])
        for target, (i, j) in zip(targets, ends, strict=True):
            p = logistic(point[i] - point[j])
            slope = p * (1 - p)
            pull = -4 * (target - p) * slope
            bend = 4 * (slope**2 - (target - p) * slope * (1 - 2 * p))
            for k, sign in ((i, 1), (j, -1)):
                gradient[k] += sign * pull
                for other, other_sign in ((i, 1), (j, -1)):
                    curvature[k, other] += sign * other_sign * bend
        move = mpmath.lu_solve(curvature, mpmath.matrix(gradient))
        point = [h - move[k] for k, h in enumerate(point)]
        if max(abs(e) for e in move) < mpmath.mpf(10) ** (-mpmath.mp.dps + 10):
            break
    loss = sum(
        2 * (target - logistic(point[i] - point[j])) ** 2
        for target, (i, j) in zip(targets, ends, strict=True)
    )
    pull_back = sum(
        (h - w) ** 2 / (2 * sigma * c) for h, w, c in zip(point, field, weight, strict=True)
    )
    return loss + pull_back, point


def _loss_check(softmax: Softmax) -> Check:
    """The general loss at T = 2 against the reduced one, at a random point."""

    def pairs() -> list[tuple[Any, Any]]:
        scores = {"h_11": "1/3", "h_12": "-2/5", "h_22": "3/4"}
        labels = {"z_11": "-1/7", "z_12": "5/8", "z_22": "2/3"}
        common = {"beta": "3/4", "beta0": "5/4"}
        exact = {key: Fraction(value) for key, value in {**scores, **labels}.items()}
        reduced = {
            "u": exact["h_11"] - exact["h_12"],
            "v": exact["h_22"] - exact["h_12"],
            "u_0": exact["z_11"] - exact["z_12"],
            "v_0": exact["z_22"] - exact["z_12"],
        }
        left = evaluate(softmax.loss, {**exact, **common}, "mpmath", CHECK_DIGITS + 10)
        right = evaluate(_two_token_loss(), {**reduced, **common}, "mpmath", CHECK_DIGITS + 10)
        return [(left, right)]

    return by_numbers(pairs, "both forms at a random point")


def _two_token_loss() -> sp.Expr:
    def logistic(value: sp.Expr) -> sp.Expr:
        return 1 / (1 + sp.exp(-value))

    return sp.Add(
        *(
            2 * (logistic(sym.beta0 * label_score) - logistic(sym.beta * score)) ** 2
            for label_score, score in ((_U0, _U), (_V0, _V))
        )
    )


def _unimodality_steps(bound: sp.Expr) -> list[Step]:
    worst, place = worst_curvature()
    logistic = sp.Function("s")
    u = sp.Symbol("u", real=True)
    return [
        Step(
            sp.Derivative(2 * (label - logistic(sym.beta * u)) ** 2, u, u),
            "each loss term bends by 4 beta^2 times a polynomial in p = s(beta u), linear in y",
            4 * sym.beta**2 * loss_curvature(),
            exactly(_curvature_difference),
        ),
        Step(
            loss_curvature(),
            "most negative over 0 <= y <= 1 and 0 < p < 1: at y = 1 and the root of 12p^2 - 9p + 1",
            worst,
            exactly(lambda: (12 * place**2 - 9 * place + 1) ** 2 + _worst_difference()),
        ),
        Step(
            "C^-1/sigma with C = [[3, 1], [1, 3]]",
            "least curvature 1/(4 sigma), along u = v; the sum is positive for every label iff "
            "sigma beta^2 is below the bound, and just above it both minima on u = v exist",
            sp.Lt(sym.sigma * sym.beta**2, bound, evaluate=False),
            exactly(lambda: min(sp.Matrix([[3, 1], [1, 3]]).inv().eigenvals()) + 4 * bound * worst),
        ),
    ]


def _curvature_difference() -> sp.Expr:
    u = sp.Symbol("u", real=True)
    logistic = 1 / (1 + sp.exp(-sym.beta * u))
    left = sp.diff(2 * (label - logistic) ** 2, u, 2)
    return sp.simplify(left - (4 * sym.beta**2 * loss_curvature()).subs(share, logistic))


def _worst_difference() -> sp.Expr:
    """Zero iff the stated value is the minimum of the polynomial on a fine exact grid or below."""
    worst, _ = worst_curvature()
    polynomial = sp.Poly(loss_curvature(), label, share)
    values = [polynomial.eval((y, sp.Rational(k, 200))) for y in (0, 1) for k in range(201)]
    return sp.Integer(bool(min(values) < worst))
