"""Decompositions and spectra along a parameter, measured on trained heads, and their pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import problem_from
from attlas.solver.largest_penalty import largest_penalty
from attlas.verify.simulation.simulate import simulate
from attlas.verify.spectra.along import measured_means, parts_along, spectrum_along, trainer
from attlas.verify.spectra.parts import measured_parts, paired_parts

LINEAR = {"tokens": 1, "noise": "0.2"}


PROBLEM = problem_from(alpha="0.5", lam="0.1", kappa0="0.3", **LINEAR)


@pytest.fixture(scope="module")
def runs():
    return simulate(PROBLEM, d=24, seeds=8, overlaps=True, adam_steps=100).runs


def test_measured_parts_are_the_definition(runs) -> None:
    """Sum and mismatch against the overlaps q and m of the run, which are measured otherwise."""
    for run in runs:
        parts, seen = measured_parts(run, 0.9), run.observables
        q0 = float(np.mean(np.square(run.teacher_eigenvalues)))
        assert parts.error_scaled == pytest.approx(seen.q - 1.8 * seen.m + 0.81 * q0, rel=1e-6)
        assert parts.mismatch == pytest.approx((seen.m / q0 - 0.9) ** 2, abs=1e-6)
        assert min(parts.over, parts.under, parts.approx) >= 0


def test_measured_parts_agree_with_theory_at_the_same_teachers(runs) -> None:
    seen = [measured_parts(run, 1.0) for run in runs]
    theory = [paired_parts(PROBLEM, run, 1.0) for run in runs]
    scale = np.mean([one.error_scaled for one in theory])
    for key in ("over", "under", "approx"):
        gaps = [
            getattr(one, key) - getattr(two, key) for one, two in zip(seen, theory, strict=True)
        ]
        error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
        # Three standard errors, and a finite-size correction of order 1/d.
        assert abs(np.mean(gaps)) < 3 * error + scale / runs[0].d, key


NARROW = problem_from(
    alpha="0.5", lam="0.1", kappa0="0.3", **LINEAR, training="width-limited", kappa="0.2"
)


@pytest.mark.parametrize(
    "problem",
    [
        problem_from(alpha="0.5", lam="0.1", kappa0="0.3", **LINEAR, training="direct"),
        # Half a minute for each run's paired theory.
        pytest.param(NARROW, marks=pytest.mark.slow),
    ],
    ids=lambda one: one.estimator.name,
)
def test_parts_of_other_estimators_agree_with_theory(problem) -> None:
    runs = simulate(problem, d=20, seeds=6, overlaps=True, adam_steps=100).runs
    for key, mean in measured_means(problem, runs, 0.9).items():
        assert abs(mean.value - mean.paired) < 3 * mean.error + 0.6 / runs[0].d, key
    for run in runs:
        assert len(run.non_zero_eigenvalues) == run.d * run.observables.rank_fraction


def test_a_narrow_head_uses_its_width_and_no_more() -> None:
    (run,) = simulate(NARROW, d=20, seeds=1, overlaps=True, adam_steps=100, paired=False).runs
    assert len(run.non_zero_eigenvalues) == run.d * run.observables.rank_fraction == 4
    parts, seen = measured_parts(run, 0.9), run.observables
    q0 = float(np.mean(np.square(run.teacher_eigenvalues)))
    assert parts.error_scaled == pytest.approx(seen.q - 1.8 * seen.m + 0.81 * q0, rel=1e-6)


def test_parts_along_alpha() -> None:
    problems = [problem_from(alpha=a, lam="0.1", kappa0="0.3", **LINEAR) for a in ("0.3", "0.6")]
    rows = parts_along(problems, trainer(16, [0, 1], "adam", "cpu"))
    for row in rows:
        assert set(row.measured) == {"over", "under", "approx", "error_scaled"}
        parts = sum(row.measured[key].value for key in ("over", "under", "approx"))
        assert row.measured["error_scaled"].value == pytest.approx(parts)


def test_more_recovered_outliers_lower_error() -> None:
    target = "power-law:gamma=1,d=60"
    problems = [
        problem_from(alpha=alpha, lam="0.1", target=target, **LINEAR)
        for alpha in ("0.1", "0.3", "0.9", "2.7")
    ]
    rows = spectrum_along(problems)
    outliers = [row.outliers for row in rows]
    errors = [row.mse for row in rows]
    assert outliers == sorted(outliers)
    assert outliers[-1] > outliers[0]
    assert errors == sorted(errors, reverse=True)
    assert [row.recovered for row in rows] == pytest.approx([n / 60 for n in outliers])


def test_rank_falls_with_the_penalty_to_exact_collapse() -> None:
    base = {"alpha": "0.4", "kappa0": "0.2", **LINEAR}
    collapse = largest_penalty(problem_from(lam="1", **base)).lam
    values = (0.05, 0.4 * collapse, 0.999 * collapse, 1.001 * collapse)
    rows = spectrum_along(
        [problem_from(lam=value, **base) for value in values], trainer(16, [0, 1], "adam", "cpu")
    )
    ranks = [row.rank_fraction for row in rows]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[2] > 0
    assert ranks[3] == 0
    assert all(row.collapse_lam == pytest.approx(collapse) for row in rows)
    for row in rows:
        mean = row.measured["rank_fraction"]
        assert abs(mean.value - mean.paired) < 2 / 16
        assert 0 <= row.measured["recovered"].value <= 1


FLAGS = ["--tokens", "1", "--noise", "0.2", "--kappa0", "0.3"]


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["spectrum", "--alpha", "0.3,0.6", "--lam", "0.1"], {"recovered", "collapse_lam"}),
        (["spectrum", "--alpha", "0.3", "--lam", "0.1:9:3:log"], {"rank_fraction", "mse"}),
        (["decompose", "--alpha", "0.3,0.6", "--lam", "0.1"], {"over", "under", "measured"}),
    ],
)
def test_commands(tmp_path, capsys: pytest.CaptureFixture[str], arguments, keys) -> None:
    picture = tmp_path / "a.svg"
    assert main([*arguments, *FLAGS, "--plot", str(picture), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["result"]["rows"]
    assert len(rows) in (2, 3)
    assert all(keys <= set(row) for row in rows)
    assert picture.read_text(encoding="utf-8").rstrip().endswith("</svg>")
    assert main([*arguments, *FLAGS]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(rows)


def test_one_parameter_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spectrum", "--alpha", "0.3,0.6", "--lam", "0.1,0.2", *FLAGS]) == 2
    assert "--alpha already has several" in capsys.readouterr().err
    assert main(["decompose", "--alpha", "0.3,0.6", "--lam", "0.1", *FLAGS, "--simulate"]) == 2
    assert "--d is missing" in capsys.readouterr().err
