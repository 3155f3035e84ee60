"""Spectra judged by draws of the predicted law: a right law passes, a wrong one does not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import Wishart, problem_from
from attlas.solver.learned_spectrum.rule import Rule
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.simulation.simulate import simulate
from attlas.verify.spectra import Draw, Head, Quantiles, compare, draw_learned, heads_of, statistics
from attlas.verify.spectra.comparison import _comparison

D, HEADS, DELTA = 40, 4, 1.0
RULE = Rule(0.75, 0.9, 0.9)


def heads(seed: int, rule: Rule = RULE, delta: float = DELTA) -> list[Head]:
    """Draws of one law, to be compared with the law of RULE and DELTA."""
    found = []
    for number in range(HEADS):
        teacher = draw_teacher(Wishart("0.15"), D, 100 * seed + number).eigenvalues.tolist()
        rng = np.random.default_rng([seed, number])
        (one,) = draw_learned(teacher, rule, delta, 1, rng)
        found.append(Head(one, teacher, RULE, DELTA))
    return found


def p_values(seed: int, **law) -> dict[str, float]:
    found = compare(heads(seed, **law), np.random.default_rng(seed + 7), draws=60)
    return {one.statistic: one.p for one in found}


@pytest.mark.parametrize(("runs", "p"), [(10.0, 0.2), (0.0, 0.2), (1.5, 0.4), (5.1, 1.0)])
def test_p_value_is_twice_the_share_beyond_counting_the_run_itself(runs: float, p: float) -> None:
    """Nine draws and the run are ten equally likely ranks."""
    found = _comparison("mean", runs, np.arange(1.0, 10.0))
    assert found.p == pytest.approx(p)


def test_a_right_law_is_not_rejected_more_often_than_its_level() -> None:
    """30 repetitions of 7 statistics; 5 % of them are expected below 0.05."""
    found = [p for seed in range(30) for p in p_values(seed).values()]
    assert np.mean(np.array(found) < 0.05) < 0.1
    assert np.mean(found) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    "law",
    [
        {"delta": 1.1 * DELTA},
        {"delta": 0.9 * DELTA},
        {"rule": Rule(0.75, 1.15 * 0.9, 1.15 * 0.9)},
        {"rule": Rule(0.75, 0.85 * 0.9, 0.85 * 0.9)},
    ],
)
def test_a_wrong_law_is_rejected(law) -> None:
    """Bonferroni over the seven statistics, with few heads: in most repetitions."""
    rejected = [min(p_values(seed, **law).values()) < 0.05 for seed in range(8)]
    assert sum(rejected) >= 6


def test_statistics_of_a_map_by_hand() -> None:
    overlaps = np.array([[0.9, 0.1, 0.0], [0.1, 0.6, 0.3], [0.0, 0.3, 0.7]])
    draw = Draw(np.array([2.0, 1.0, 1e-9]), overlaps)
    quantiles = Quantiles(np.array([1.7, 1.0, 0.3]))
    found = statistics(draw, [3.0, 1.5, 0.0], quantiles)
    assert found == pytest.approx(
        {
            "rank_fraction": 2 / 3,
            "mean": 1.0,
            "top": 2.0,
            "signal_edge": 1.0,
            "overlap_top": 0.9,
            "overlap_signal": 0.85,
            "wasserstein": 0.2,
        },
        abs=1e-8,
    )


def test_draws_have_the_predicted_moments() -> None:
    teacher = np.linspace(0, 2, 60)[::-1]
    rng = np.random.default_rng(0)
    draws = list(draw_learned(teacher.tolist(), Rule(2.0, 0.0, -np.inf), 0.5, 40, rng))
    second = np.mean([np.mean(one.eigenvalues**2) for one in draws])
    assert second == pytest.approx(4 * (np.mean(teacher**2) + 0.25), rel=0.01)
    np.testing.assert_allclose(draws[0].overlaps.sum(axis=0), 1)
    np.testing.assert_allclose(draws[0].overlaps.sum(axis=1), 1)
    assert np.all(np.diff(draws[0].eigenvalues) <= 0)


def test_trained_heads_keep_their_eigenvectors() -> None:
    problem = problem_from(alpha="0.5", lam="0.1", kappa0="0.2", noise="0.2", tokens=1)
    found = simulate(problem, d=16, seeds=2, overlaps=True, adam_steps=100)
    for run in found.runs:
        assert run.overlaps is not None
        np.testing.assert_allclose(run.overlaps.sum(axis=0), 1)
        measured = np.array(run.teacher_eigenvalues) @ run.overlaps @ np.array(run.eigenvalues)
        assert measured / 16 == pytest.approx(run.observables.m, rel=1e-9)
        assert min(run.eigenvalues) >= 0
    (first, _) = heads_of(found)
    assert first.delta == pytest.approx(found.runs[0].theory.delta)  # type: ignore[union-attr]
    assert simulate(problem, d=16, seeds=1, adam_steps=100).runs[0].overlaps is None


LINEAR = ["--tokens", "1", "--alpha", "0.4", "--lam", "0.1", "--noise", "0.2"]


def test_command(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "a.svg"
    arguments = ["spectrum", *LINEAR, "--kappa0", "0.2", "--plot", str(picture)]
    assert main([*arguments, "--simulate", "--d", "16", "--seeds", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"schema", "problem", "result", "error", "status", "stats"}
    assert found["schema"] == "attlas/spectrum/1"
    result = found["result"]
    assert {"mass_at_zero", "rank_fraction", "bands", "outliers", "density"} <= set(result)
    assert len(result["density"]["x"]) == len(result["density"]["rho"])
    assert len(result["simulation"]["runs"]) == 2
    assert {one["statistic"] for one in result["simulation"]["comparison"]} >= {"wasserstein"}
    drawn = picture.read_text(encoding="utf-8")
    assert "share of eigenvalues that are 0" in drawn
    assert "trained heads: 2 at d = 16" in drawn


def test_command_explains_an_undetected_spike(capsys: pytest.CaptureFixture[str]) -> None:
    target = "spiked:spikes=12/5.6,background=wishart:kappa0=0.1"
    flags = ["--alpha", "0.3", "--lam", "0.1", "--noise", "5", "--tokens", "1", "--target", target]
    assert main(["spectrum", *flags]) == 0
    out, err = capsys.readouterr()
    assert "outlier" in out
    assert "Spike 5.6 leaves no outlier, because it does not detach" in err


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--simulate"], "--d is missing"),
        (["--plot", "a.pdf"], "--plot = 'a.pdf'"),
        (["--plot", "no/such/folder/a.png"], "--plot = 'no/such/folder/a.png'"),
        (["--heads", "2"], "--heads = '2'"),
        (["--training", "bayes"], "--lam"),
        (["--simulate", "--d", "16", "--seeds", "0"], "--seeds"),
    ],
)
def test_command_refuses(capsys: pytest.CaptureFixture[str], extra: list[str], said: str) -> None:
    assert main(["spectrum", *LINEAR, "--kappa0", "0.2", *extra]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
