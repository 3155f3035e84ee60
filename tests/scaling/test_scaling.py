"""Scaling laws: derivation, exponents and constants, wrong theories rejected, the verb."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import BadInput, PowerLaw
from attlas.solver.scaling import (
    PHASES,
    Place,
    Plane,
    dense_error,
    depths,
    formula_at,
    level,
    measure,
    place_of,
    scaling,
    slope,
)
from attlas.solver.scaling.predictions import KEYS, best_penalty, exponent, phase_of, rate
from attlas.solver.solution import Stats
from attlas.solver.status import Status

#: A solution takes seconds where the noise bulk is cut within.
_DEAR = {"V", "peak", "noiseless"}
_EACH = [pytest.param(phase, marks=pytest.mark.slow if phase in _DEAR else ()) for phase in PHASES]


def test_every_step_of_the_derivation_passes() -> None:
    from attlas.symbolic.scaling import scaling as derivation

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


@pytest.mark.parametrize("phase", _EACH)
@pytest.mark.parametrize("gamma", [pytest.param(0.75, marks=pytest.mark.slow), 2])
def test_numerical_solution_follows_the_phase(phase: str, gamma: float) -> None:
    row = measure(phase, gamma)
    assert row.verdict == "agrees"
    assert set(row.controls.values()) <= {True, None}
    assert True in row.controls.values() or phase == "III"  # whose formula has neither
    assert abs(row.constant.value - 1) < 4e-3
    assert abs(row.slope.value / row.predicted - 1) < 4e-3


def test_controls_are_told_apart_where_the_formula_has_them() -> None:
    rows = {phase: measure(phase, 1.25).controls for phase in ("II", "IV", "VIb")}
    assert rows == {
        "II": {"gamma-shifted": True, "noise-halved": None},
        "IV": {"gamma-shifted": True, "noise-halved": True},
        "VIb": {"gamma-shifted": None, "noise-halved": True},
    }


def test_corrections_are_one_over_the_recovered_modes() -> None:
    """Half the modes, twice the distance from the formula."""
    off = []
    for modes in (100, 200):
        at = place_of("IV", 2, modes)
        found = level(at.target, at.n, at.lam, at.noise).mse.value
        off.append(found / formula_at(at).mse - 1)
    assert off[0] / off[1] == pytest.approx(2, rel=0.2)


def test_a_phase_without_room_is_not_reached() -> None:
    """At d = 40 few modes are recovered at lam_c: the row says what is in the way."""
    target, n, noise = PowerLaw("1.25", 40), 4000.0, 0.1
    row = measure("IV", 1.25, Place("IV", 1.25, 40, n, best_penalty(target, n, noise), noise, 0.5))
    assert row.verdict == "not reached"
    name, size = row.correction
    assert depths("IV", target, n, row.place.lam, noise)[name] == size > 0.1


@pytest.mark.parametrize("gamma", [0.75, 1.25, 2.0])
def test_places_are_as_deep_as_they_are_built(gamma: float) -> None:
    """A place fixes recovered modes and ratios; its depths, computed back from it, return them."""

    def at(phase: str, modes: float = 200) -> dict[str, float]:
        place = place_of(phase, gamma, modes)
        return depths(phase, place.target, place.n, place.lam, place.noise)

    assert at("II")["1/K"] == pytest.approx(1 / 200)
    assert at("II")["(K/d)^(2γ-1)"] == pytest.approx((200 / 1e14) ** (2 * gamma - 1))
    assert at("III")["ε/s_d"] == pytest.approx(0.1)
    assert at("III")["δ/ε"] == pytest.approx((1e-4 + 1 / (2 * 1e4)) ** 0.5)  # the noise, and R = ε²
    assert at("IV")["1/K"] == pytest.approx(1 / 200)
    assert at("peak")["ε/δ"] == pytest.approx(1e-4)
    assert at("peak")["K/d"] == pytest.approx(200 / 1e14)
    assert at("VIa")["1/(4α)"] == pytest.approx(1 / 1200)
    assert at("VIb")["δ/s_d"] == pytest.approx(1000**-0.5, rel=at("VIb")["1/(4α)"])
    assert at("noiseless")["1/K"] == pytest.approx(1 / 200)
    target, n = PowerLaw(gamma, 50), 1e5
    for phase in ("VIa", "VIb"):
        found = depths(phase, target, n, 0.3 * best_penalty(target, n, 0.1), 0.1)
        assert found["λ/λ_c"] == pytest.approx(0.3)
        assert found["1/(4α)"] == pytest.approx(50**2 / (4 * n))


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


def test_phases_are_told_by_noise_threshold_and_modes() -> None:
    """The mechanism of theory.md section 14, in its own numbers: delta, epsilon, s_1 and s_d."""
    rng, seen = np.random.default_rng(4), set()
    for _ in range(400):
        gamma, d, noise = rng.uniform(0.7, 2.0), int(rng.integers(50, 3000)), rng.uniform(0.1, 3)
        target = PowerLaw(gamma, d)
        n = d ** rng.uniform(1, 2 + 2 * gamma)
        lam = best_penalty(target, n, noise) * 10 ** rng.uniform(-2, 2)
        delta, epsilon = math.sqrt(noise * d * d / (4 * n)), lam * d * d / (4 * n)
        first, last = math.sqrt(d), math.sqrt(d) * d**-gamma
        sparse, dense = (n / d) ** (1 / (2 * gamma) - 1), (n / d**2) ** 0.4
        if epsilon > first:
            expected = "Ib"
        elif epsilon > 2 * delta:
            expected = "II" if epsilon > last else "III"
        elif delta < last:
            expected = "VIb"
        elif n / d**2 > 0.25:
            expected = "VIa"
        else:
            expected = "V" if dense > sparse else "IV"
        assert phase_of(target, n, lam, noise) == expected
        seen.add(expected)
    assert seen == set(KEYS)


def test_boundaries_of_the_plane_lie_between_its_phases() -> None:
    target, n, noise = PowerLaw("1.25", 400), 3000.0, 0.7
    plane = Plane(target, noise, (n,), (0.1,), (), Status.CONVERGED, Stats(0, 0.0))

    def sides(at: float, *, n: float | None = None, lam: float | None = None) -> tuple[str, str]:
        """The phases on both sides of ``at``, which is the one of n and lam that is not given."""
        below, above = (
            phase_of(
                target, side * at if n is None else n, side * at if lam is None else lam, noise
            )
            for side in (1 - 1e-9, 1 + 1e-9)
        )
        return below, above

    lines, uprights = plane.boundaries(), plane.uprights()
    assert sides(lines["nothing"](n), n=n) == ("II", "Ib")
    assert sides(lines["lambda_c"](n), n=n) == ("IV", "II")
    many = 1e10  # beyond n = 1e9 the last mode's line lies above lam_c
    assert sides(lines["last_mode"](many), n=many) == ("III", "II")
    assert sides(uprights["dense"], lam=0) == ("IV", "V")
    assert sides(uprights["interpolation"], lam=0) == ("V", "VIa")
    assert sides(uprights["all_modes"], lam=0) == ("VIa", "VIb")


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
    for point in points:
        if point["phase"] != "Ib":
            assert 0 <= point["ratio_error"] < 1e-6 * point["ratio"]
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_table_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("attlas.solver.scaling.PHASES", ("III", "VIb"))
    page = tmp_path / "page.md"
    assert main(["scaling", "--table", "1,2", "--out", str(page), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["result"]["rows"]
    assert [(row["phase"], row["gamma"]) for row in rows] == [
        ("III", 1), ("III", 2), ("VIb", 1), ("VIb", 2)
    ]  # fmt: skip
    assert all(row["verdict"] == "agrees" for row in rows)
    assert all(abs(row["ratio"] - 1) < 2e-3 for row in rows)
    assert rows[2]["rejected"] == {"gamma-shifted": None, "noise-halved": True}
    assert page.read_text(encoding="utf-8").count("| agrees |") == 4


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--target", "power-law:gamma=0.5,d=400"], "greater than 1/2"),
        (["--target", "power-law:gamma=1,d=5"], "20 or more"),
        (["--target", "power-law:gamma=1,d=50", "--n", "-3,5"], "--n"),
        (["--target", "power-law:gamma=1,d=50", "--n", "0,5"], "--n"),
        (["--target", "power-law:gamma=1,d=50", "--lam", "0,5"], "--lam"),
        (["--target", "power-law:gamma=1,d=50", "--n", "100"], "two points"),
        (["--target", "power-law:gamma=1,d=50", "--tokens", "2"], "--emergence"),
        (["--table", "1", "--emergence"], "together with --table"),
        (["--table", "0.5,1"], "greater than 1/2"),
        (["--table", "1", "--out", "a.svg"], ".md or .json"),
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
    with pytest.raises(BadInput, match=r"^n "):
        level(PowerLaw(1, 50), 0.0, 1.0, 0.1)
    assert callable(scaling)
