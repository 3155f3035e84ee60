"""The studies: pruning, tail exponents, LASSO, modes in time."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import PowerLaw
from attlas.solver.scaling.diagonal import lasso_at, lasso_best
from attlas.verify.claims.bands import band, departs
from attlas.verify.claims.sequential_recovery import PILOT, SEQUENTIAL_RECOVERY
from attlas.verify.studies import NAMES, heads, study
from attlas.verify.studies.lasso import coefficients, simulated
from attlas.verify.studies.pruning import pruned_error
from attlas.verify.studies.time import _flow_steps, path_of


def test_pruning_needs_no_tuning_to_beat_the_rule() -> None:
    """A map trained at lam_c/100 and cut at its bulk's edge: better than lam_c itself."""
    (row,) = study("pruning").rows(PowerLaw("1.25", 200), 1.0, [80000.0], ())
    assert isinstance(row["pruned"], float)
    assert 1.0 < row["pruned"] < row["cost 1 lam_c"]  # type: ignore[operator]
    assert row["small lam"] > 2 * row["pruned"]  # type: ignore[operator]
    assert row["cost 4 lam_c"] > row["cost 2 lam_c"] > 2  # type: ignore[operator]


def test_pruned_heads_follow_the_theory() -> None:
    target = PowerLaw("1.25", 24)
    (row,) = study("pruning").rows(target, 1.0, [9216.0], range(6))
    assert row["heads pruned"] == pytest.approx(row["pruned"], rel=0.15)
    assert row["heads lam_c"] == pytest.approx(row["cost 1 lam_c"], rel=0.15)
    assert pruned_error(target, 9216, 1.0) > 0


def test_tail_is_biased_by_the_threshold_alone() -> None:
    """The learned tail is too heavy; adding epsilon gives 1 + 1/gamma."""
    rows = study("tail").rows(PowerLaw(1, 40), 0.1, None, range(2))
    for row in rows:
        assert row["theory"] == pytest.approx(1.77, abs=0.03)
        assert row["theory + eps"] == pytest.approx(row["expected"], abs=0.05)
        assert row["heads + eps"] == pytest.approx(row["theory + eps"], abs=0.03)
        assert row["theory count"] > 20  # type: ignore[operator]


def test_lasso_in_closed_limits() -> None:
    """Without a threshold least squares: R = noise d/(n - d); far above, theta is missed."""
    theta = coefficients(1.25, 50)
    assert lasso_at(theta, 1000, 0.1, 0.0).mse == pytest.approx(0.1 * 50 / 950, rel=1e-9)
    assert lasso_at(theta, 1000, 0.1, 5.0).mse == pytest.approx(float(theta @ theta), rel=1e-9)
    best = lasso_best(theta, 1000, 0.1)
    for factor in (0.8, 1.25):
        assert lasso_at(theta, 1000, 0.1, factor * best.threshold).mse > best.mse


def test_lasso_simulated() -> None:
    theta = coefficients(1.25, 100)
    best = lasso_best(theta, 1000, 0.1)
    errors = [simulated(theta, 1000, 0.1, best.penalty, seed) for seed in range(12)]
    bar = np.std(errors, ddof=1) / math.sqrt(12)
    assert abs(np.mean(errors) - best.mse) < 4 * bar
    assert bar < 0.15 * best.mse


def test_modes_appear_in_time_as_one_over_their_strength() -> None:
    target = PowerLaw(2, 16)
    path = path_of(target, 0.1, 2560, 0, "gradient descent")
    steps = path.half_steps()[:4]
    assert np.all(np.diff(steps) > 0)
    scaled = steps * np.arange(1, 5) ** -2.0 / steps[0]
    assert np.all(np.abs(scaled - 1) < 0.3)
    assert np.all(np.diff(path.loss) < 1e-3 * path.loss[0])


def test_modes_appear_when_the_flow_has_them() -> None:
    """Infinitely many samples, and no fit: the time of a step and the start are known."""
    target, n = PowerLaw("1.25", 24), 5760
    path = path_of(target, 0.1, n, 1, "gradient descent")
    assert path.half_steps()[:5] == pytest.approx(_flow_steps(target, 0.1, n)[:5], rel=0.15)


def test_heads_say_which_phases_small_dimensions_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [("peak", 1), ("V", 1), ("VIa", 1), ("noiseless", 1), ("VIb", 2), ("V", 2)]
    places = [one for one in heads._PLACES if (one.phase, one.tokens) in wanted]
    monkeypatch.setattr(heads, "_PLACES", places)
    rows = {
        (row["phase"], row["tokens"]): row for row in heads.rows(PowerLaw("1.25", 9), 0, None, ())
    }
    assert list(rows) == [
        ("V", 1),
        ("peak", 1),
        ("VIa", 1),
        ("noiseless", 1),
        ("V", 2),
        ("VIb", 2),
    ]
    for key in (("V", 1), ("peak", 1), ("VIa", 1), ("VIb", 2)):
        assert rows[key]["regime"] == "reached"
        assert rows[key]["theory slope"] == pytest.approx(rows[key]["formula"], rel=0.05)
    far = rows["noiseless", 1]
    assert abs(far["theory slope"] / far["formula"] - 1) > 0.1  # type: ignore[operator]
    assert str(far["regime"]).startswith("not reached: (15πα/4)^(2/5)")
    assert str(rows["V", 2]["regime"]).startswith("not trained")


def test_heads_follow_the_theory_in_the_noise_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [one for one in heads._PLACES if (one.phase, one.tokens) == ("VIa", 1)]
    monkeypatch.setattr(heads, "_PLACES", places)
    (row,) = heads.rows(PowerLaw("1.25", 9), 0, None, range(3))
    assert row["heads/theory"] == pytest.approx(1, abs=0.15)
    assert row["heads slope"] == pytest.approx(row["theory slope"], abs=0.1)


def test_bands_follow_the_pilot_by_rule() -> None:
    assert band(0.1, 0.001) == pytest.approx((0.05, 0.15))
    assert band(-0.1, 0.025) == pytest.approx((-0.175, -0.025))
    with pytest.raises(ValueError, match="no departure"):
        band(0.1, 0.04)
    assert not departs(0.1, 0.04, 0.02)
    assert not departs(0.006, 0.001, 0.02)  # inside the margin, whatever it is
    assert departs(0.046, 0.006, 0.05)
    declared = {(one.point, one.quantity): one for one in SEQUENTIAL_RECOVERY.departures}
    assert set(declared) == set(PILOT)
    for key, pilot in PILOT.items():
        assert departs(*pilot, SEQUENTIAL_RECOVERY.quantity(key[1]).cap)
        assert (declared[key].low, declared[key].high) == band(*pilot)


@pytest.mark.slow
def test_pilot_is_found_again() -> None:
    """With fewer of the pilot's own seeds its softmax departure comes out within its errors."""
    rows = {(row["point"], row["quantity"]): row for row in study("departures").rows(
        PowerLaw("1.25", 24), 0.0, None, range(2))}  # fmt: skip
    mean, error = PILOT["softmax", "test_error"]
    found = rows["softmax", "test_error"]
    assert abs(found["deviation"] - mean) < 5 * (error + found["+-"])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--study", "prunning", "--target", "power-law:gamma=1,d=20"], "pruning"),
        (["--study", "pruning", "--target", "wishart:kappa0=0.5"], "power-law"),
        (["--study", "pruning", "--target", "power-law:gamma=1,d=20", "--n", "50"], "d^2/4"),
        (["--study", "pruning", "--target", "power-law:gamma=1,d=20", "--n", "-5"], "--n"),
        (["--study", "time", "--target", "power-law:gamma=1,d=20", "--noise", "0"], "--noise"),
        (["--study", "lasso", "--target", "power-law:gamma=1,d=20", "--n", "9"], "--n"),
        (["--study", "departures", "--target", "power-law:gamma=1,d=20"], "--seeds"),
        (["--study", "tail", "--target", "power-law:gamma=1,d=20", "--out", "a.svg"], ".json"),
    ],
)
def test_bad_input(flags: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scaling", *flags]) == 2
    assert reason in capsys.readouterr().err


def test_verb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    flags = ["--target", "power-law:gamma=1,d=40", "--noise", "0.1", "--out", str(page), "--json"]
    assert main(["scaling", "--study", "tail", *flags]) == 0
    rows = json.loads(capsys.readouterr().out)["result"]["rows"]
    assert rows[-1]["d"] == 40
    assert "theory + eps" in page.read_text(encoding="utf-8")
    assert set(NAMES) == {"pruning", "tail", "lasso", "time", "heads", "departures"}
