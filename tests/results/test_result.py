"""Results are alike: keys, rows of tables, and what a notebook shows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import attlas
from attlas.model import problem_from
from attlas.solver.solution import Observables
from attlas.verify.simulation.result import Simulation, SimulationStats, SimulationStatus

NOISY = problem_from(alpha="0.3", lam="0.05", kappa0="1/2", noise="0.1", tokens=1)
CLEAN = problem_from(alpha="0.3", lam="0.05", kappa0="1/2", tokens=1)


@pytest.fixture(scope="module")
def solution() -> attlas.Solution:
    return attlas.solve(NOISY)


def test_values_are_asked_for_by_key(solution: attlas.Solution) -> None:
    assert solution["mse"] == solution.mse
    assert solution.keys() == tuple(solution) == tuple(solution.present())
    assert dict(solution) == solution.present()  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert "test_error_plugin" not in solution
    with pytest.raises(KeyError, match="did you mean rank_fraction"):
        solution["rank_fractoin"]


def test_a_row_is_that_of_a_sweep(solution: attlas.Solution) -> None:
    (row,) = attlas.sweep(NOISY, workers=1, alpha=["0.3"]).to_pylist()
    found = solution.to_dict()
    assert {key: row[key] for key in found} == pytest.approx(found)
    assert set(row) - set(found) == {"message", "seconds"}
    table = solution.to_arrow()
    assert table.to_pylist() == [found]


def test_without_pandas_a_sentence_says_so(
    solution: attlas.Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"needs pandas, .* install pandas$"):
        solution.to_pandas()


def test_test_errors_are_one_line_where_they_are_equal(solution: attlas.Solution) -> None:
    noisy = [key for _, key, _, _ in solution.table()]
    assert {"test_error", "test_error_clean"} <= set(noisy)
    clean = {key: (value, bar) for _, key, value, bar in attlas.solve(CLEAN).table()}
    assert "test_error, test_error_clean" in clean
    assert not {"test_error", "test_error_clean"} & set(clean)


def test_lines_of_a_group_follow_each_other(solution: attlas.Solution) -> None:
    groups = [group for group, *_ in solution.table()]
    assert list(dict.fromkeys(groups)) == ["overlaps", "spectrum", "errors", "stability"]
    assert groups == sorted(groups, key=["overlaps", "spectrum", "errors", "stability"].index)
    assert len(groups) == len(solution.keys())


def test_a_notebook_shows_symbol_meaning_and_bar(solution: attlas.Solution) -> None:
    shown = solution._repr_html_()
    rows = {
        cells[1]: cells
        for row in re.findall(r"<tr>(.*?)</tr>", shown)
        if len(cells := re.findall(r"<td[^>]*>(.*?)</td>", row)) == 4
    }
    assert rows["q_hat"][0] == "q̂"
    assert rows["q_hat"][2].startswith("conjugate to sigma")
    assert "eigenvalues that are not zero" in rows["rank_fraction"][2]
    assert rows["mse"][3] == f"{solution.mse:.10g} ± {solution.error.mse:.1e}"
    assert set(rows) == set(solution.keys())


def test_other_results_are_alike() -> None:
    best = attlas.best_lambda(NOISY)
    assert best["lam"] == best.values.lam
    assert best.to_dict()["error_lam"] == best.error.lam
    split = attlas.decompose(NOISY)
    # What another class states is told as well.
    assert "fresh noisy labels" in split._repr_html_()
    assert split.to_dict()["error_over"] == split.error.over
    law = attlas.spectrum(NOISY)
    assert set(law.keys()) == set(law.present())
    assert "1 entry" in law._repr_html_()
    assert attlas.threshold("perfect-recovery", kappa0="1/2").to_dict()["status"] == "found"


def test_the_bars_of_a_simulation_are_its_error() -> None:
    mean, spread = Observables(q=1.0), Observables(q=0.1)
    stats = SimulationStats(2, 1.0)
    found = Simulation(NOISY, (), mean, spread, SimulationStatus.CONVERGED, stats)
    assert found.error is found.spread
    assert found["q"] == 1.0
    assert found.to_dict()["error_q"] == 0.1
    assert replace(found, spread=Observables()).table() == [("overlaps", "q", "1", "")]
