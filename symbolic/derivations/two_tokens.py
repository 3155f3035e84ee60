# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""Two tokens: the loss in score differences, its envelope in numbers, when it has one minimum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.channels import Softmax
from attlas.symbolic.channels.unimodality import label, loss_curvature, share, worst_curvature
from attlas.symbolic.derivation import CHECK_DIGITS, Check, Step, by_numbers, exactly
from attlas.symbolic.evaluate import evaluate

#: Score differences of the student, and of the label.
U, _V, _U0, _V0 = sp.symbols("u v u_0 v_0", real=True)


def two_token_envelope_check() -> Check:
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


def two_token_loss_check(softmax: Softmax) -> Check:
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
        right = evaluate(two_token_loss(), {**reduced, **common}, "mpmath", CHECK_DIGITS + 10)
        return [(left, right)]

    return by_numbers(pairs, "both forms at a random point")


def two_token_loss() -> sp.Expr:
    def logistic(value: sp.Expr) -> sp.Expr:
        return 1 / (1 + sp.exp(-value))

    return sp.Add(
        *(
            2 * (logistic(sym.beta0 * label_score) - logistic(sym.beta * score)) ** 2
            for label_score, score in ((_U0, U), (_V0, _V))
        )
    )


def unimodality_steps(bound: sp.Expr) -> list[Step]:
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
