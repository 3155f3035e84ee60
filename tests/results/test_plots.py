"""Pictures by one call: what is drawn where, from tables, results and trained heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attlas
from attlas.model import BadInput, problem_from
from attlas.solver.solution import Observables
from attlas.verify.simulation.result import Simulation, SimulationStats, SimulationStatus

PROBLEM = problem_from(alpha="0.3", lam="0.05", kappa0="1/2", noise="0.1", tokens=1)


@pytest.fixture(scope="module")
def table() -> Any:
    return attlas.sweep(PROBLEM, workers=1, lam=["0.05", "0.2"], alpha=["0.3", "0.6", "3"])


def heads(test_error: float, spread: float, **parameters: Any) -> Simulation:
    return Simulation(
        problem=problem_from(**{"lam": "0.05", "kappa0": "1/2", "noise": "0.1", **parameters}),
        runs=(),
        mean=Observables(test_error=test_error, q=2.0),
        spread=Observables(test_error=spread, q=0.1),
        status=SimulationStatus.CONVERGED,
        stats=SimulationStats(2, 1.0),
    )


def test_a_curve_for_each_penalty_with_heads_in_its_colour(table: Any) -> None:
    seen = heads(0.4, 0.02, alpha="0.6", tokens=1)
    axes = attlas.plot.learning_curve(table, runs=[seen])
    first, second = (one for one in axes.lines if str(one.get_label()).startswith("λ"))
    rows = [row for row in table.to_pylist() if row["lam"] == 0.05]
    np.testing.assert_allclose(np.asarray(first.get_xdata()), [0.3, 0.6, 3])
    np.testing.assert_allclose(np.asarray(first.get_ydata()), [row["test_error"] for row in rows])
    assert first.get_linestyle() != second.get_linestyle()
    assert _lightness(second.get_color()) - _lightness(first.get_color()) > 0.1
    mark = axes.containers[0]
    assert mark[0].get_color() == first.get_color()
    ((_, low), (_, high)) = mark[2][0].get_segments()[0]
    assert (low, high) == pytest.approx((0.38, 0.42))
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["λ = 0.05", "λ = 0.2", "trained heads, mean ± standard error"]
    assert axes.get_ylabel() == "test error per sample, noisy labels"
    assert axes.get_xscale() == "log"


def test_solutions_are_drawn_as_their_table_is() -> None:
    solutions = [attlas.solve(PROBLEM.with_(alpha=alpha)) for alpha in ("0.6", "0.3")]
    axes = attlas.plot.learning_curve(solutions, key="mse")
    np.testing.assert_allclose(np.asarray(axes.lines[0].get_xdata()), [0.3, 0.6])
    again = attlas.plot.learning_curve(solutions, key="q", ax=axes)
    assert again is axes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"key": "tset_error"}, "test_error"),
        ({"x": "alhpa"}, "alpha"),
        ({"table": []}, "none holds both"),
    ],
)
def test_what_cannot_be_drawn_is_refused(table: Any, options: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        attlas.plot.learning_curve(**{"table": table, **options})


def test_compare_draws_the_distance_in_percent() -> None:
    theory = attlas.solve(PROBLEM)
    runs = heads(1.02 * theory.test_error, 0.01 * theory.test_error, alpha="0.3", tokens=1)
    axes = attlas.plot.compare(theory, runs)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["test_error", "q"]
    mark = axes.containers[0]
    assert float(mark[0].get_xdata()[0]) == pytest.approx(2.0)
    (left, _), (right, _) = mark[2][0].get_segments()[0]
    assert (left, right) == pytest.approx((1.0, 3.0))
    with pytest.raises(BadInput, match="share none"):
        attlas.plot.compare(theory, replace(runs, mean=Observables()))


def test_a_spectrum_draws_itself() -> None:
    solution = attlas.solve(PROBLEM)
    found = attlas.spectrum(PROBLEM)
    assert attlas.plot.spectrum(solution).get_xlabel() == attlas.plot.spectrum(found).get_xlabel()
    assert len(found.plot().axes) >= 2
    with pytest.raises(TypeError, match="no picture of its own"):
        attlas.threshold("perfect-recovery", kappa0="1/2").plot()


def test_runs_penalties_and_parts_draw_themselves() -> None:
    runs = heads(0.4, 0.02, alpha="0.6", tokens=1)
    off = runs.plot().axes[0].containers[0][0].get_xdata()[0]  # type: ignore[index]
    theory = attlas.solve(runs.problem).test_error
    assert off == pytest.approx(100 * (0.4 / theory - 1))
    best = attlas.best_lambda(PROBLEM)
    (axes,) = best.plot().axes
    curve, mark, _ = axes.lines
    assert np.asarray(mark.get_xdata())[0] == best["lam"]
    values = np.asarray(curve.get_ydata(), dtype=float)
    assert values.min() == pytest.approx(best.solution.test_error, rel=1e-3)
    assert values.argmin() == len(values) // 2
    found = attlas.decompose(PROBLEM)
    bars: list[list[Any]] = [list(axes.patches) for axes in found.plot().axes]
    parts, tests = bars
    assert sum(bar.get_width() for bar in parts) == pytest.approx(found.error_scaled)
    *explained, whole = (bar.get_width() for bar in tests)
    assert whole - sum(explained) == pytest.approx(found.remainder, abs=1e-9)


def _lightness(colour: Any) -> float:
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722)))


def test_flows_and_planes_draw_themselves(tmp_path: Path) -> None:
    flow = attlas.dynamics(PROBLEM.with_(alpha=1), [0.1, 1.0, 10.0])
    flow.plot(tmp_path / "flow.svg")
    assert flow["error"] == flow.error.tolist()
    rows = flow.to_arrow().to_pylist()
    assert [row["t"] for row in rows] == [0.1, 1.0, 10.0]
    assert [row["learned_eigenvalues"] for row in rows] == flow.learned_eigenvalues.tolist()
    assert "<td>0.1</td>" in flow._repr_html_()
    plane = attlas.phase(PROBLEM, "alpha,kappa0", boundaries=["interpolation"])
    figure = plane.plot(tmp_path / "plane.svg")
    assert attlas.plot.phase(plane).get_xlabel() == figure.axes[0].get_xlabel()
    assert plane["boundaries"][0]["boundary"] == "interpolation"
    assert plane.to_dict()["x"]["parameter"] == "alpha"
    assert {row["source"] for row in plane.rows()} == {"interpolation"}
    with pytest.raises(KeyError, match="did you mean regions"):
        plane["region"]
    assert plane._repr_html_().count("<tr>") <= 22
    # What a notebook shows for a figure and for axes, without a backend.
    drawn: tuple[Any, ...] = (figure, attlas.plot.phase(plane))
    shown = {one._repr_png_()[:8] for one in drawn}
    assert shown == {b"\x89PNG\r\n\x1a\n"}
    assert {path.name for path in tmp_path.iterdir()} == {"flow.svg", "plane.svg"}
    with pytest.raises(BadInput, match="path"):
        plane.plot(tmp_path / "plane.bmp")
