"""Pictures of the paper: what they hold, and that they are written whole."""

from __future__ import annotations

import importlib
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import LinearChannel, problem_from
from attlas.model.errors import Notice
from attlas.reports.figures.sheet import save, sheet
from attlas.reports.reproduce import PICTURES, Picture, Work, reproduce
from attlas.reports.reproduce import bayes as bayes_picture
from attlas.reports.reproduce.families import FAMILIES
from attlas.reports.reproduce.rows import head_row, heads, theory_rows
from attlas.reports.reproduce.spectra import _teacher
from attlas.solver import solve
from attlas.solver.journal import Journal
from attlas.verify.simulation.simulate import simulate


@pytest.mark.parametrize("name", sorted({*PICTURES} - {*FAMILIES}))
def test_every_picture_has_its_file(name: str) -> None:
    module = importlib.import_module(f"attlas.reports.reproduce.{name.replace('-', '_')}")
    assert callable(module.make)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_of_problems_that_exist(name: str) -> None:
    family = FAMILIES[name]
    assert set(family.heads) <= set(family.curves)
    for own in family.curves.values():
        problem_from(**{**family.shared, **own, "alpha": family.alphas[0]})
    assert all(family.alphas[0] <= float(alpha) <= family.alphas[1] for alpha in family.trained)


def test_a_misspelt_picture_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "learning-curve"]) == 2
    captured = capsys.readouterr()
    assert "did you mean learning-curves" in captured.err
    assert captured.out == ""


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    assert main(["reproduce", "bayes", "--out", str(occupied)]) == 2


def test_pictures_and_data_are_written(tmp_path: Path) -> None:
    def draw(path: Path) -> None:
        with sheet(2, 2) as (figure, (axes,)):
            axes.plot([1, 2])
            save(figure, path)

    rows = [{"source": "theory", "alpha": 0.1, "mse": float("nan")}]
    folder = tmp_path / "a" / "new"
    written = Picture("small", "A line.", {"d": 8}, rows, draw).write(folder)
    assert [path.name for path in written] == ["small.svg", "small.png", "small.json"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(p.name for p in written)
    document = json.loads(written[2].read_text())
    assert document["rows"] == [{"source": "theory", "alpha": 0.1, "mse": "nan"}]


def test_bayes_holds_the_numbers_of_theory_md(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bayes_picture, "head_rows", lambda *_, **__: [])
    made = reproduce("bayes")
    curve = {
        round(row["alpha"], 6): row["test_error"]
        for row in made.rows
        if row["curve"] == "Bayes-optimal"
    }
    assert [round(curve[alpha], 4) for alpha in (0.05, 0.1, 0.15)] == [0.2134, 0.1209, 0.0414]
    perfect = {row["kappa0"]: row["alpha"] for row in made.rows if row["curve"] == "bayes"}
    for kappa0, alpha in perfect.items():
        assert alpha == pytest.approx((kappa0 - kappa0**2 / 2) / 2, abs=1e-12)
    assert len(made.write(tmp_path)) == 3


def test_the_teacher_in_the_spectra_has_mass_kappa0() -> None:
    x, density = _teacher(0.5)
    assert np.trapezoid(density, x) == pytest.approx(0.5, abs=1e-4)
    assert np.trapezoid(density * x, x) == pytest.approx(0.5**0.5, abs=1e-4)


def test_heads_are_averaged_over_certified_runs_only() -> None:
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens="1")
    found = simulate(problem, d=12, seeds=3, paired=False)
    row = head_row("curve", problem, found.runs, 4)
    assert row is not None
    values = [run.observables.mse for run in found.runs]
    assert row["mse"] == pytest.approx(np.mean(values))
    assert row["error"]["mse"] == pytest.approx(np.std(values, ddof=1) / 3**0.5)
    assert (row["runs"], row["certified"]) == (4, 3)
    assert head_row("curve", problem, [], 4) is None


def test_heads_without_a_certificate_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens="1")
    hasty = partial(simulate, max_steps=1)
    monkeypatch.setattr("attlas.reports.reproduce.rows.simulate", hasty)
    lines: list[str] = []
    assert heads(problem, 12, 2, Work(lines.append), "here") == []
    assert "left out" in lines[-1]
    assert "max_steps" in lines[-1]


def test_what_was_computed_is_kept_until_it_is_done(tmp_path: Path) -> None:
    """An interrupted picture goes on with the runs that it has, bit for bit."""
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens="1")
    kept = tmp_path / ".picture.partial"
    first = heads(problem, 12, 2, Work(path=kept), "here")
    content = kept.read_bytes()
    again = Work(path=kept)
    second = heads(problem, 12, 3, again, "here")
    assert [run.seconds for run in second[:2]] == [run.seconds for run in first]
    assert len(Journal(kept).rows) == 3
    kept.write_bytes(content[:-100] + b"#" + content[-99:])
    with pytest.warns(Notice, match="1 of 2 lines"):
        third = heads(problem, 12, 2, Work(path=kept), "here")
    assert third[0].seconds == first[0].seconds
    assert third[1].observables == first[1].observables
    again.done()
    assert not kept.exists()


def test_an_interrupted_picture_says_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> list[object]:
        raise KeyboardInterrupt

    solve = bayes_picture.theory_rows
    monkeypatch.setattr(
        bayes_picture, "theory_rows", lambda name, problems, work: solve(name, problems[:1], work)
    )
    monkeypatch.setattr(bayes_picture, "head_rows", interrupted)
    assert main(["reproduce", "bayes", "--out", str(tmp_path)]) == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_a_solve_that_fails_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    hard = problem_from(alpha="0.1", lam="1e-7", kappa0="0.5", tokens="2")
    easy = hard.with_(channel=LinearChannel())
    monkeypatch.setattr("attlas.reports.reproduce.rows.solve", partial(solve, max_steps=10))
    (row,) = theory_rows("curve", [hard, easy], Work(lines.append), rtol=0.1)
    assert row["q"] == solve(easy, rtol=0.1).q
    assert "left out" in lines[0]
    assert "left out" not in lines[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*sorted({*PICTURES} - {*FAMILIES}), "ranks"])
def test_every_picture_can_be_made(name: str, tmp_path: Path) -> None:
    made = reproduce(name)
    assert len(made.write(tmp_path)) == 3
    assert {row["source"] for row in made.rows} == {"theory", "heads"}


def test_shares_of_a_picture_divide_its_problems(tmp_path: Path) -> None:
    problems = [
        problem_from(alpha=f"0.{i}", lam="0.1", kappa0="0.5", channel="linear") for i in range(1, 7)
    ]
    kept = tmp_path / ".picture.partial"
    alphas = []
    for index in range(2):
        rows = theory_rows("curve", problems, Work(path=kept, share=(index, 2)))
        alphas += [row["alpha"] for row in rows]
        assert 0 < len(rows) < 6
    assert sorted(alphas) == [float(problem.alpha) for problem in problems]
    whole = Work(path=kept)
    assert whole.results == 6
    assert len(theory_rows("curve", problems, whole)) == whole.results
