"""Targets of a user's own: law, solution and teachers follow from what they say of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from attlas import Atoms, Factorised, LinearChannel, Problem, Wishart, simulate, solve, threshold
from attlas.model.errors import BadInput
from attlas.model.registry import register
from attlas.model.targets import TARGETS, Target, target_from
from attlas.solver.spectrum import TargetLaw, target_law
from attlas.solver.spectrum.integrals import NAMES
from attlas.symbolic import notation as sym
from attlas.symbolic.free_convolution import WISHART, NumericLaw, from_r_transform
from attlas.verify.data.teacher import draw_teacher
from tests.spectrum.strangers import Marchenko, Own, Steps, Sum

RNG = np.random.default_rng(11)


def agree(one: TargetLaw, two: TargetLaw, delta: float, epsilon: float, scale: float = 1) -> None:
    """The law of a target, and of another whose eigenvalues are larger by a factor."""
    here = one.noisy(delta).truncated(epsilon)
    there = two.noisy(scale * delta).truncated(scale * epsilon)
    powers = {"j": 2, "j1": 1, "j2": 1, "mass": 0, "squared_error_part": 2, "squared_error": 2}
    for name in NAMES:
        factor = scale ** powers[name]
        bar = factor * getattr(here, f"{name}_error") + getattr(there, f"{name}_error")
        rounding = 4e-15 * scale**2 * (1 + delta**2 + epsilon**2) * (name != "mass")
        off = factor * getattr(here, name) - getattr(there, name)
        assert abs(off) <= bar + rounding, (name, delta, epsilon)


def test_the_r_transform_of_wishart_is_that_of_symbolic() -> None:
    curve = from_r_transform("own", Wishart("1/4").r_transform(sym.u))
    assert sp.simplify(curve.base - WISHART.base.subs(sym.s, sp.Rational(1, 2))) == 0
    assert Wishart("1/4").r_transform(0.1) == pytest.approx(0.5 / (1 - 0.1 / 0.5))


@pytest.mark.parametrize("ratio", ["0.1", "1/2", "1", "3"])
def test_wishart_by_a_stranger_is_wishart(ratio: str) -> None:
    own, built_in = (target_law(one) for one in (Own(Fraction(ratio)), Wishart(ratio)))
    for name in ("q0", "mean", "rank_fraction"):
        assert getattr(own, name) == pytest.approx(getattr(built_in, name), rel=1e-15)
    for delta, share in zip(10 ** RNG.uniform(-3, 0.7, 8), RNG.uniform(0, 1.02, 8), strict=True):
        bands = built_in.noisy(delta).bands()
        epsilon = bands[0].lower + share * (bands[-1].upper - bands[0].lower)
        agree(own, built_in, delta, epsilon)
        for one, two in zip(own.noisy(delta).bands(), bands, strict=True):
            assert (one.lower, one.upper) == pytest.approx((two.lower, two.upper), abs=1e-14)
            assert one.mass == pytest.approx(two.mass, abs=1e-13)


def test_marchenko_pastur_is_wishart_in_another_scale() -> None:
    for delta, epsilon in ((0.3, 0.5), (0.05, 1.2), (1.0, -0.4)):
        agree(
            target_law(Wishart("1/2")),
            target_law(Marchenko(Fraction(2))),
            delta,
            epsilon,
            float(np.sqrt(2)),
        )


def test_a_free_sum_of_wisharts_is_their_rank_together() -> None:
    """p0 independent columns and as many again: a Wishart of ratio 2 kappa0, times sqrt(2)."""
    both = target_law(Sum(Fraction(1, 4), Fraction(1, 4)))
    for delta, epsilon in ((0.3, 0.5), (0.05, 1.2), (1.0, -0.4)):
        agree(target_law(Wishart("1/2")), both, delta, epsilon, float(np.sqrt(2)))


def test_a_sum_of_two_ratios_against_the_closed_forms_to_many_digits() -> None:
    target = Sum(Fraction(1, 4), Fraction(1, 25))
    law, curve = target_law(target), from_r_transform("sum", target.r_transform(sym.u))
    for delta in (0.02, 0.4):
        noisy = law.noisy(delta)
        exact = NumericLaw(curve, {"delta": delta}, digits=25)
        edges = [edge for band in exact.bands() for edge in band]
        assert [edge for b in noisy.bands() for edge in (b.lower, b.upper)] == pytest.approx(
            [float(edge) for edge in edges], rel=1e-15
        )
        for share in (0.2, 0.7, 0.999):
            epsilon = float(edges[0] + share * (edges[-1] - edges[0]))
            found = noisy.truncated(epsilon)
            for name in ("j", "j1", "j2", "mass"):
                known = float(getattr(exact, name.upper() if name != "mass" else name)(epsilon))
                assert abs(getattr(found, name) - known) <= getattr(found, f"{name}_error")


def test_the_zeros_of_a_sum_are_counted() -> None:
    assert target_law(Sum(Fraction(1, 4), Fraction(1, 2))).rank_fraction == pytest.approx(0.75)
    assert target_law(Sum(Fraction(1, 4), Fraction(4, 5))).rank_fraction == 1


def _problem(target: Target) -> Problem:
    return Problem(
        alpha=0.3, target=target, channel=LinearChannel(noise="0.1"), estimator=Factorised(lam=0.1)
    )


def test_a_stranger_is_solved_like_ours() -> None:
    for mine, ours in (
        (Own(Fraction(1, 2)), Wishart("1/2")),
        (Steps(Fraction(30)), Atoms(np.arange(1, 31) / 30)),
    ):
        one, two = solve(_problem(mine)), solve(_problem(ours))
        for key in ("q", "m", "sigma", "delta", "epsilon", "mse", "rank_fraction"):
            bar = getattr(one.error, key) + getattr(two.error, key)
            assert abs(getattr(one, key) - getattr(two, key)) <= bar
            assert getattr(one.error, key) < 1e-6 * (1 + abs(getattr(one, key)))


def test_teachers_of_a_stranger() -> None:
    given = draw_teacher(Steps(Fraction(30)), 30, seed=1)
    assert given.eigenvalues == pytest.approx(np.arange(30, 0, -1) / 30)
    own = draw_teacher(Own(Fraction(1, 2)), 60, seed=1)
    assert (own.eigenvalues > 1e-9).sum() == 30
    assert own.eigenvectors * own.eigenvalues @ own.eigenvectors.T == pytest.approx(own.s0)
    law = target_law(Marchenko(Fraction(2)))
    of_law = draw_teacher(Marchenko(Fraction(2)), 400, seed=1)
    assert (of_law.eigenvalues == 0).sum() == 200
    assert (of_law.trace / 400, of_law.q0) == pytest.approx((law.mean, law.q0), rel=5e-3)
    with pytest.raises(BadInput, match="dimension, 30"):
        draw_teacher(Steps(Fraction(30)), 31, seed=1)


def test_a_stranger_is_simulated() -> None:
    run = simulate(_problem(Own(Fraction(1, 2))), d=30, seeds=1)
    theory = solve(_problem(Own(Fraction(1, 2))))
    assert run.runs[0].observables.q == pytest.approx(theory.q, rel=0.25)


def test_a_registered_stranger_is_named_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(TARGETS, "sum", Sum)  # for what takes it away again
    assert register(Sum) is Sum
    target = target_from("sum:one=1/4,two=0.5")
    assert target == Sum(Fraction(1, 4), Fraction(1, 2))
    assert target_from(target.grammar()) == target
    for text, reason in (
        ("sum:one=1", "two is required"),
        ("sum:one=1,three=2", "three"),
        ("sum:one=1,two=x", "two"),
    ):
        with pytest.raises(BadInput, match=reason):
            target_from(text)


def test_what_is_no_target_is_refused() -> None:
    @dataclass(frozen=True)
    class Wish(Own):
        name = "wishart"

    @dataclass(frozen=True)
    class Mute(Target):
        name = "mute"

    for cls, reason in (
        (Wish, "taken by another"),
        (Mute, "must have eigenvalues"),
        (int, "derives from one of .*Target"),
    ):
        with pytest.raises(BadInput, match=reason):
            register(cls)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("law", "reason"),
    [
        (sp.exp, "must have a rational"),
        (lambda g: g, "law on x >= 0"),  # a semicircle about 0
        (lambda g: 1 + g, "law on x >= 0"),  # a semicircle that reaches -1
        (lambda g: 3 + g + 5 * g**3, "law on x >= 0"),  # of no law at all
        (lambda g: 1 / g, "law on x >= 0"),
        (lambda g: None, "must have eigenvalues"),  # noqa: ARG005
    ],
)
def test_what_is_no_law_is_refused(law: Any, reason: str) -> None:
    class Wrong(Target):
        name = "wrong"

        def r_transform(self, g: Any) -> Any:
            return law(g)

    wrong = object.__new__(Wrong)
    with pytest.raises(BadInput, match=reason):
        target_law(wrong)


def test_closed_forms_without_exact_poles_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="must have an R-transform with rational poles"):
        threshold("interpolation", target=Own(Fraction(1, 2)), noise=1)
