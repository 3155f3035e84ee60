# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportOperatorIssue=false
"""One visitor, three arithmetics."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.symbolic.evaluate import evaluate
from attlas.symbolic.functions import Im, J
from tests.symbolic.strategies import points

_X, _Y = sp.symbols("x y")

#: Each expression with the same thing in plain mpmath.
CASES = (
    (sp.sqrt(_X) * sp.exp(-_Y) + sp.pi / 7, lambda x, y: mpmath.sqrt(x) * mpmath.exp(-y)
     + mpmath.pi / 7),
    (sp.log(_X - sp.pi) + sp.I * _Y, lambda x, y: mpmath.log(x - mpmath.pi) + mpmath.mpc(0, 1) * y),
    (sp.erf(_X) / (1 + sp.tan(_Y) ** 2), lambda x, y: mpmath.erf(x) / (1 + mpmath.tan(y) ** 2)),
    (sp.atan(_X) ** sp.Rational(1, 3) + sp.cos(_Y) * sp.sin(_X),
     lambda x, y: mpmath.cbrt(mpmath.atan(x)) + mpmath.cos(y) * mpmath.sin(x)),
    (sp.Max(_X, _Y, sp.Rational(1, 2)), lambda x, y: max(x, y, mpmath.mpf(1) / 2)),
    (sp.Piecewise((_X**2, _X > _Y), (_Y**3, True)), lambda x, y: x**2 if x > y else y**3),
    (sp.arg(_X - sp.I * _Y) + sp.Abs(_Y - 5), lambda x, y: mpmath.arg(mpmath.mpc(x, -y))
     + abs(y - 5)),
    (Im((_X + sp.I * _Y) ** -3), lambda x, y: (mpmath.mpc(x, y) ** -3).imag),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "plain"), CASES)
@settings(max_examples=10, deadline=None)
@given(x=st.fractions("1/7", 4, max_denominator=97), y=st.fractions("1/9", 1, max_denominator=89))
def test_every_arithmetic_agrees_with_plain_mpmath(expression, plain, x, y) -> None:
    at = {"x": x, "y": y}
    with mpmath.workdps(70):
        exact = plain(*(mpmath.mpf(e.numerator) / e.denominator for e in (x, y)))
        precise = evaluate(expression, at, "mpmath", 60)
        assert abs(precise - exact) < mpmath.mpf(10) ** -60 * (1 + abs(exact))
        assert abs(complex(evaluate(expression, at)) - complex(exact)) < 1e-13 * (1 + abs(exact))
    ball = evaluate(expression, at, "arb", 40)
    assert _contains(ball, exact)


def test_arrays_are_evaluated_elementwise() -> None:
    grid = np.linspace(0.1, 2, 7)
    found = evaluate(sp.exp(_X) * _X, {"x": grid})
    assert np.allclose(found, np.exp(grid) * grid, rtol=1e-15)


def test_exact_inputs_are_not_rounded_through_floats() -> None:
    for arithmetic in ("mpmath", "arb"):
        value = evaluate(_X * 3 - 1, {"x": "1/3"}, arithmetic, 80)
        assert abs(value) < 1e-80


def test_a_missing_symbol_or_function_is_named() -> None:
    with pytest.raises(KeyError, match="y"):
        evaluate(_X + _Y, {"x": 1})
    with pytest.raises(KeyError, match="J"):
        evaluate(J(_X, _Y), {"x": 1, "y": 1})
    with pytest.raises(ValueError, match="float32"):
        evaluate(_X, {"x": 1}, "float32")


def test_undefined_functions_take_the_meaning_given() -> None:
    assert evaluate(J(_X, _Y) ** 2, {"x": 2, "y": 3}, functions={"J": lambda a, b: a + b}) == 25


def test_threads_at_different_precision_do_not_disturb_each_other() -> None:
    expression = sp.exp(_X) ** sp.Rational(1, 7)

    jobs = [(a, d) for d in (15, 300, 40, 120) for a in ("mpmath", "arb")] * 5
    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(lambda job: evaluate(expression, {"x": "1/3"}, *job), jobs))
    for (arithmetic, digits), value in zip(jobs, values, strict=True):
        with mpmath.workdps(digits + 20):
            exact = mpmath.exp(mpmath.mpf(1) / 21)
            if arithmetic == "mpmath":
                assert abs(value - exact) < mpmath.mpf(10) ** -digits
        if arithmetic == "arb":
            assert _contains(value, exact)
            assert value.rel_accuracy_bits() > 3.3 * digits


@settings(max_examples=20, deadline=None)
@given(at=points("delta", "epsilon"))
def test_balls_contain_what_higher_precision_gives(at: dict[str, Fraction]) -> None:
    delta, epsilon = sp.Symbol("delta"), sp.Symbol("epsilon")
    expression = sp.sqrt(delta**2 + epsilon) - delta * sp.log(1 + epsilon / delta)
    ball = evaluate(expression, at, "arb", 20)
    assert _contains(ball, evaluate(expression, at, "mpmath", 60))
    assert math.isclose(float(ball.mid()), evaluate(expression, at), rel_tol=1e-13, abs_tol=1e-15)


def _contains(ball: flint.arb | flint.acb, value: object) -> bool:
    """Whether a ball holds an mpmath number, itself known to 60 digits."""
    before = flint.ctx.prec
    flint.ctx.prec = 2000
    try:
        number = mpmath.mpmathify(value)
        parts = [number.real, number.imag]
        balls = [flint.acb(ball).real, flint.acb(ball).imag]
        slack = flint.arb(0, 1e-60)
        return all(
            (part + slack).overlaps(flint.arb(mpmath.mp.make_mpf(exact._mpf_)))
            for part, exact in zip(balls, parts, strict=True)
        )
    finally:
        flint.ctx.prec = before
