"""Scaling laws: derivation, exponents and constants, wrong theories rejected, the verb."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from cli.main import main
from model import BadInput, PowerLaw
from solver.scaling import FIRST, SECOND, Row, dense_error, level, measure, scaling, slope
from solver.scaling.predictions import best_penalty, exponent, rate
from solver.scaling.table import point_of

#: Least distances from prediction of the slope and the constant that count as disagreement, at
#: gamma = 1.25: above the corrections to the leading power at these points, set from their
#: measured sizes, and below the distance to a gamma wrong by 1/4 or half the noise.
SLOPES = {"II": 0.01, "III": 0.01, "IV": 0.01, "peak": 0.002, "VIa": 0.002, "VIb": 0.001,
          "noiseless": 0.01}  # fmt: skip
CONSTANTS = {"II": 0.01, "III": 0.01, "IV": 0.01, "V": 0.01, "peak": 0.01, "VIa": 0.01,
             "VIb": 0.001, "noiseless": 0.03}  # fmt: skip


def test_every_step_of_the_derivation_passes() -> None:
    from symbolic.scaling import scaling as derivation

    checks = derivation().run_checks()
    assert len(checks) == len(derivation().steps)
    for step, outcome in checks:
        assert outcome.passed, step.rule


@pytest.mark.parametrize(
    ("key", "at"),
    [("II", -1.2), ("III", -2), ("IV", -0.6), ("V", 0.4), ("VIa", -1), ("VIb", -1),
     ("noiseless", -1.5), ("peak", -2 / 3)],
)  # fmt: skip
def test_exponents_at_five_quarters(key: str, at: float) -> None:
    assert exponent(key, 1.25) == pytest.approx(at, rel=1e-12)


@pytest.fixture(scope="module")
def at() -> Callable[[str, int], Row]:
    """A phase measured once at gamma = 1.25."""
    return cache(lambda phase, which: measure(phase, 1.25, which))


#: The point nearest to a boundary where it lies within the margins, and is cheaper.
NEAREST = {"noiseless": FIRST}


@pytest.mark.parametrize("phase", [p for p in CONSTANTS if p != "V"])
def test_numerical_solution_follows_the_phase(phase: str, at: Callable[[str, int], Row]) -> None:
    row = at(phase, NEAREST.get(phase, SECOND))
    assert abs(row.slope.value - row.predicted) < SLOPES[phase]
    assert abs(row.constant.value - 1) < CONSTANTS[phase]


def test_dense_phase_follows_its_exact_form() -> None:
    d, n, lam, noise, _ = point_of("V", 1.25)
    found = level(PowerLaw("1.25", d), n, lam, noise).mse.value
    assert abs(found / dense_error(n / float(d) ** 2, noise) - 1) < CONSTANTS["V"]


@pytest.mark.parametrize("phase", ["II", "VIa"])
def test_corrections_shrink_deeper_in_a_phase(phase: str, at: Callable[[str, int], Row]) -> None:
    first, second = (at(phase, which) for which in (FIRST, SECOND))
    assert abs(second.slope.value - second.predicted) < 0.3 * abs(
        first.slope.value - first.predicted
    )


def test_wrong_gamma_and_half_the_noise_are_rejected(at: Callable[[str, int], Row]) -> None:
    """A solution at gamma off by 1/4, or at half the noise, falls outside the same margins."""
    truth = exponent("II", 1.25)
    for wrong in (1.0, 1.5):
        assert abs(measure("II", wrong).slope.value - truth) > SLOPES["II"]
    row = at("VIb", SECOND)
    target = PowerLaw("1.25", row.d)
    halved = level(target, row.n, row.lam, row.noise / 2).mse.value
    predicted = rate("VIb", target, row.n, row.lam, row.noise)
    assert abs(halved / predicted - 1) > CONSTANTS["VIb"]


def test_the_trace_ends_phase_via_for_small_gamma() -> None:
    """With delta below Tr S0/d the bulk no longer keeps half its noise (docs/scaling.md)."""
    ratios = []
    for d in (10**8, 10**13):
        target, n = PowerLaw("0.75", d), 30 * float(d) ** 2
        ratios.append(level(target, n, 0.0, 0.1).mse.value / rate("VIa", target, n, 0.0, 0.1))
    assert ratios[0] > 1.3
    assert ratios[1] == pytest.approx(1, abs=0.03)


def test_dense_phase_in_exact_form() -> None:
    small, target = 1e-9, PowerLaw(1, 10**6)
    assert dense_error(small, 0.1) == pytest.approx(
        rate("V", target, small * 10**12, 0, 0.1), rel=2e-3
    )
    assert dense_error(30, 0.1) == pytest.approx(0.1 / (2 * (4 * 30 - 1)), rel=1e-12)


def test_slopes_cover_their_error_at_a_known_power() -> None:
    """Beyond the last mode the error is noise d^2/(4 n) up to 1/alpha."""
    target = PowerLaw(1, 50)
    found = slope(target, 5e6, 0.0, 0.1)
    alpha = 5e6 / 2500
    assert abs(found.value + 1 + 1 / (2 * alpha - 1)) < found.error + 2e-3


def test_lambda_c_is_the_best_penalty_only_as_d_grows() -> None:
    """At d = 400 half of lambda_c is better by a fifth; at d = 1e7 it is worse by as much."""
    for d, n, better in ((400, 20000.0, True), (10**7, 1e11, False)):
        target = PowerLaw("1.25", d)
        critical = best_penalty(target, n, 0.1)
        here, half, double = (
            level(target, n, factor * critical, 0.1).mse.value for factor in (1, 0.5, 2)
        )
        assert (half < 0.85 * here) == better
        assert (half > 1.15 * here) != better
        assert double > 1.3 * here


def test_verb_writes_json_and_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "plane.svg"
    flags = ["--target", "power-law:gamma=1.25,d=40", "--noise", "0.1", "--n", "40:1e5:4:log"]
    flags += ["--lam", "0.01:100:3:log", "--out", str(picture), "--json"]
    assert main(["scaling", *flags]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "attlas/scaling/1"
    points = found["result"]["points"]
    assert len(points) == 12
    assert all(point["mse"] > 0 and point["mse_error"] >= 0 for point in points)
    assert {point["phase"] for point in points} >= {"Ib", "II"}
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--target", "power-law:gamma=0.5,d=400"], "greater than 1/2"),
        (["--target", "power-law:gamma=1,d=5"], "20 or more"),
        (["--target", "power-law:gamma=1,d=50", "--n", "-3,5"], "--n"),
        (["--target", "power-law:gamma=1,d=50", "--n", "0,5"], "--n"),
        (["--target", "power-law:gamma=1,d=50", "--lam", "0,5"], "--lam"),
        (["--target", "power-law:gamma=1,d=50", "--n", "100"], "two points"),
        (["--target", "wishart:kappa0=0.5"], "power-law"),
        (["--target", "power-law:gamma=1,d=50", "--noise", "0"], "--noise"),
        (["--target", "power-law:gamma=1,d=50,q0=1"], "rescaled"),
        ([], "--target"),
    ],
)
def test_bad_input(flags: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scaling", *flags]) == 2
    assert reason in capsys.readouterr().err


def test_level_needs_samples() -> None:
    with pytest.raises(BadInput, match="--n"):
        level(PowerLaw(1, 50), 0.0, 1.0, 0.1)
    assert callable(scaling)
