"""Modes one after another: sums, crossings, leading order, trained heads, the verb."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import BadInput, PowerLaw
from attlas.solver.emergence import emergence, leading_order, learning_curve, modes_at
from attlas.solver.scaling import dense_limit, level
from attlas.solver.scaling.predictions import best_penalty, emergence_predicted
from attlas.verify.simulation.emergence import trained_modes


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("gamma", ["0.75", "1.25", "3"])
def test_parts_sum_to_the_squared_error(gamma: str, noise: float) -> None:
    target, n = PowerLaw(gamma, 60), 600.0
    found = modes_at(target, n, noise)
    direct = level(target, n, best_penalty(target, n, noise), noise).mse
    assert found.error.sum() == pytest.approx(direct.value, rel=1e-8)
    assert np.all((found.captured > 0) & (found.captured < 1))
    assert np.all(np.diff(found.captured) < found.bar)
    assert found.bar < 1e-3


def test_captures_sum_to_the_rank() -> None:
    """Sum of v_i^T P v_i is the trace of P."""
    from attlas.solver.spectrum import target_law

    target = PowerLaw("1.25", 60)
    found = modes_at(target, 600, 1.0)
    mass = target_law(target).noisy(found.delta).truncated(found.epsilon).mass
    assert found.captured.sum() == pytest.approx(60 * mass, rel=1e-9)


def test_crossings_are_where_they_say() -> None:
    target = PowerLaw(2, 60)
    found = emergence(target, 2, 5.0)
    assert found.half is not None
    assert found.sharpness is not None
    here = modes_at(target, found.half.value, 5.0).captured[1]
    assert here == pytest.approx(0.5, abs=1e-4)
    ahead = modes_at(target, found.half.value * math.exp(0.01), 5.0).captured[1]
    assert (ahead - here) / 0.01 == pytest.approx(found.sharpness.value, rel=0.02)


def test_leading_order_is_approached() -> None:
    """With noise that dominates, half capture comes within a tenth, and the slope is 1/2."""
    found = emergence(PowerLaw(2, 200), 3, 10.0)
    assert found.half is not None
    assert found.sharpness is not None
    assert found.half.value == pytest.approx(found.predicted_half, rel=0.05)
    assert found.sharpness.value == pytest.approx(0.5, abs=0.02)
    wrong = emergence_predicted(PowerLaw("1.75", 200), 3, 10.0).half
    assert abs(found.half.value / wrong - 1) > 0.3


def test_heads_follow_the_modes_beyond_small_n_over_d() -> None:
    target = PowerLaw(3, 20)
    (heads,) = trained_modes(target, [4000], 1.0, seeds=8)
    theory = modes_at(target, 4000, 1.0)
    captured, error = heads.mean("captured")
    assert captured[0] == pytest.approx(theory.captured[0], abs=0.01)
    assert abs(captured[1] - theory.captured[1]) < 4 * error[1] + 0.05
    totals = heads.error.sum(axis=1)
    assert totals.mean() == pytest.approx(theory.mse.value, rel=0.15)


def test_verb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "modes.svg"
    flags = ["--target", "power-law:gamma=3,d=12", "--noise", "1", "--modes", "1"]
    flags += ["--n", "20:2000:3:log", "--seeds", "2", "--out", str(picture), "--json"]
    assert main(["scaling", "--emergence", *flags]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert [mode["mode"] for mode in result["modes"]] == [1]
    for point in result["points"]:
        assert sum(point["parts"]) + point["rest"] == pytest.approx(point["mse"], rel=1e-8)
    assert all(len(heads["mse"]) == 2 for heads in result["heads"])
    assert "<svg" in picture.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--target", "power-law:gamma=0.5,d=40"], "diverges with d"),
        (["--target", "power-law:gamma=1,d=5"], "8 to 2000"),
        (["--target", "power-law:gamma=1,d=5000"], "8 to 2000"),
        (["--target", "power-law:gamma=1,d=40", "--modes", "40"], "1 to 39"),
        (["--target", "power-law:gamma=1,d=40", "--n", "-1,5"], "--n"),
        (["--target", "power-law:gamma=1,d=40", "--lam", "1,2"], "one penalty"),
        (["--target", "power-law:gamma=1,d=40,q0=1"], "rescaled"),
        (["--target", "wishart:kappa0=0.5"], "power-law"),
        (["--target", "power-law:gamma=1,d=40", "--tokens", "3"], "1 or 2"),
    ],
)
def test_bad_input(flags: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scaling", "--emergence", *flags]) == 2
    assert reason in capsys.readouterr().err


def test_two_noiseless_tokens_need_half_the_samples() -> None:
    """Labels see D = 2 combinations of the scores: the same modes at half the n, exactly."""
    target = PowerLaw("1.25", 30)
    one, two = modes_at(target, 90, 0.0), modes_at(target, 45, 0.0, tokens=2)
    assert two.captured == pytest.approx(one.captured, rel=1e-9)
    assert two.delta == pytest.approx(one.delta, rel=1e-9)
    assert leading_order(target, 3, 0.0, 2).half == leading_order(target, 3, 0.0).half / 2


def test_many_samples_of_softmax_are_a_linear_channel_with_another_noise() -> None:
    """That of the linear channel is its own; with softmax half a mode is captured close to it."""
    target = PowerLaw(2, 60)
    own = dense_limit(target, 0.7, 1)
    assert own.noise == pytest.approx(0.7, rel=1e-9)
    assert own.penalty == pytest.approx(4 * 0.7**0.5, rel=1e-3)
    found = emergence(target, 4, 1.0, tokens=2)
    assert found.half is not None
    assert found.half.value == pytest.approx(found.predicted_half, rel=0.05)
    assert found.predicted_half != pytest.approx(leading_order(target, 4, 1.0).half, rel=0.1)
    here = modes_at(target, found.half.value, 1.0, tokens=2)
    assert here.captured[3] == pytest.approx(0.5, abs=1e-4)
    assert here.error.sum() == pytest.approx(here.mse.value, rel=1e-5)


def test_softmax_heads_capture_what_is_predicted() -> None:
    target = PowerLaw("1.25", 16)
    (heads,) = trained_modes(target, [500], 0.5, seeds=4, tokens=2)
    theory = modes_at(target, 500, 0.5, tokens=2)
    captured, _ = heads.mean("captured")
    assert captured[:3] == pytest.approx(theory.captured[:3], abs=0.05)


def test_verb_with_two_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--target", "power-law:gamma=2,d=20", "--noise", "0", "--tokens", "2"]
    assert main(["scaling", "--emergence", *flags, "--modes", "1", "--n", "30,60", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["problem"]["tokens"] == 2
    captured = [point["captured"][0] for point in document["result"]["points"]]
    assert captured[1] > captured[0] > 0.5


def test_nothing_is_trained_without_a_penalty() -> None:
    with pytest.raises(BadInput, match="penalty above 0"):
        trained_modes(PowerLaw(2, 20), [100], 0.0, seeds=1)
    with pytest.raises(BadInput, match=r"^modes "):
        emergence(PowerLaw(2, 20), 20, 1.0)
    assert callable(learning_curve)
