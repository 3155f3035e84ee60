"""Thresholds of a stranger's target and penalty: closed forms, or the step that fails."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from scipy.optimize import brentq

from attlas import (
    Atoms,
    BadInput,
    Direct,
    Estimator,
    LinearChannel,
    Penalty,
    Problem,
    Target,
    Wishart,
    solve,
    threshold,
)
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.spectrum import target_law
from attlas.symbolic.derive import _Asked, derivation_of
from attlas.symbolic.free_convolution import law_of
from attlas.symbolic.thresholds import require_nuclear, require_vanishing


@dataclass(frozen=True)
class TwoScales(Target):
    share: Fraction
    scale: Fraction
    name = "two-scales"

    def r_transform(self, g):
        return self.share / (1 - g) + self.share * self.scale / (1 - self.scale * g)


@dataclass(frozen=True)
class Ridge(Estimator):
    lam: Fraction
    ridge: Fraction
    name = "ridge"

    @property
    def penalty(self):
        return Penalty(self.lam, self.ridge, positive=True)


OWN = TwoScales(Fraction(1, 4), Fraction(2))
LIST = Atoms([2, 1, 0, 0])
KEPT = Ridge(Fraction(1), Fraction(1, 2))


@pytest.mark.parametrize("target", [OWN, LIST])
def test_interpolation_solves_its_definition_on_the_law_by_quadrature(target: Target) -> None:
    law, noise = target_law(target), Fraction(1, 5)

    def at(delta: float):
        return law.noisy(delta).truncated(0.0)

    def excess(delta: float) -> float:
        return at(delta).j - delta * at(delta).j1 / 2 - law.q0 - float(noise) / 2

    delta: Any = brentq(excess, 0.1, 10, xtol=1e-13)
    found = threshold("interpolation", target=target, noise=noise, tokens=1, digits=25)
    assert found.alpha is not None
    assert float(found.alpha) == pytest.approx(at(delta).j1 / (4 * delta), rel=1e-9)
    proven = threshold(
        "interpolation", target=target, noise=noise, tokens=1, digits=25, certify=True
    )
    assert proven.certified
    assert proven.alpha is not None
    assert proven.radius is not None
    assert abs(Fraction(proven.alpha) - Fraction(found.alpha)) < 2 * Fraction(proven.radius)


def test_a_wishart_target_by_a_stranger_has_the_digits_of_ours() -> None:
    @dataclass(frozen=True)
    class Mine(Target):
        name = "mine"

        def r_transform(self, g):
            return Fraction(1, 2) / (1 - 2 * g)

    for name, noise in (("interpolation", 1), ("perfect-recovery", 0), ("bayes", 0)):
        one, two = (
            threshold(name, target=target, noise=noise, digits=40)
            for target in (Mine(), Wishart("1/4"))
        )
        assert one.alpha == two.alpha


@pytest.mark.slow
def test_training_ends_to_fit_the_labels_at_the_threshold() -> None:
    found = threshold("interpolation", target=OWN, noise="0.2", tokens=1)
    assert found.alpha is not None
    below, above = (
        solve(
            Problem(
                alpha=float(found.alpha) * factor,
                target=OWN,
                channel=LinearChannel(noise="0.2"),
                estimator=Ridge(Fraction(0), Fraction(0)),
            )
        ).train_error
        for factor in (0.97, 1.03)
    )
    assert below == pytest.approx(0, abs=1e-9)
    assert above > 1e-5


def test_collapse_to_any_digits_is_the_largest_penalty() -> None:
    problem = Problem(
        alpha="0.3",
        target=OWN,
        channel=LinearChannel(noise="0.1"),
        estimator=KEPT,
    )
    found = threshold("collapse", problem=problem, digits=40, certify=True)
    assert found.certified
    assert found.lam is not None
    assert float(found.lam) == pytest.approx(largest_penalty(problem).lam, rel=1e-12)
    assert len(found.lam) >= 41


@pytest.mark.parametrize("target", [OWN, LIST])
def test_recovery_asks_for_the_rank_alone(target: Target) -> None:
    for name in ("perfect-recovery", "bayes"):
        assert (
            threshold(name, target=target, digits=30).alpha
            == threshold(name, kappa0="1/2", digits=30).alpha
        )
    assert threshold(
        "perfect-recovery", target=TwoScales(Fraction(2, 3), Fraction(2)), tokens=1
    ).alpha == ("0.500000000000000")


@pytest.mark.slow
def test_derivations_of_a_law_check_every_step() -> None:
    asked = _Asked(
        Problem(
            alpha=1, target=OWN, channel=LinearChannel(), estimator=Ridge(Fraction(1), Fraction(0))
        ),
        frozenset({"target"}),
    )
    assert asked.law == law_of(OWN)
    for derivation in (asked.interpolation(), derivation_of("collapse")):
        checks = derivation.run_checks()
        assert checks
        assert all(outcome.passed for _, outcome in checks)
    assert {"two-scales-polynomial", "two-scales-signal"} <= asked.interpolation().equations.keys()
    assert "small-noise" not in asked.interpolation().equations


def test_the_step_that_does_not_go_through_is_named() -> None:
    @dataclass(frozen=True)
    class Irrational(Target):
        name = "irrational"

        def r_transform(self, g):
            return (1 - g) / (1 - 4 * g + 2 * g**2)  # of scales 2 + sqrt(2), 2 - sqrt(2)

    for kept in (KEPT, Direct(1)):
        with pytest.raises(BadInput, match=r"step J\(delta, tau delta\)"):
            require_nuclear(kept)
    with pytest.raises(BadInput, match="step lam -> 0\\+"):
        require_vanishing(KEPT)
    require_vanishing(Direct(1))
    with pytest.raises(BadInput, match="rational poles: J has no closed form"):
        threshold("interpolation", target=Irrational(), noise=1)
    with pytest.raises(BadInput, match="12 different eigenvalues"):
        threshold("interpolation", target=Atoms([*range(20)]), noise=1)
