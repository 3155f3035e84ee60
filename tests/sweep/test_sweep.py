"""A sweep is the same as its solves, and survives being killed."""

from __future__ import annotations

from typing import Any

import pytest
from pyarrow import parquet

import attlas
from attlas.model import BadInput
from attlas.model.axis import axis_values
from attlas.solver.journal import Journal
from attlas.solver.sweep import SweepInterrupted, row_read, sweep


@pytest.fixture
def problem() -> attlas.Problem:
    return attlas.Problem(
        alpha="0.2",
        target=attlas.Wishart("1/2"),
        channel=attlas.LinearChannel("1/2"),
        estimator=attlas.Factorised("0.1"),
    )


def test_rows_equal_single_solves(problem):
    table = sweep(problem, alpha=["0.1", "0.3"], lam=["0.01", "0.2"], workers=1)
    rows = table.to_pylist()
    assert [(row["alpha"], row["lam"]) for row in rows] == [
        (0.1, 0.01),
        (0.1, 0.2),
        (0.3, 0.01),
        (0.3, 0.2),
    ]
    single = attlas.solve(problem.with_(alpha="0.3", estimator=attlas.Factorised("0.2")))
    assert rows[3]["q"] == single.q
    assert rows[3]["error_q"] == single.error.q


def test_interrupted_sweep_resumes(problem, tmp_path):
    path = tmp_path / "grid.parquet"

    class Killed(Exception):
        pass

    def kill(done: int, _: int) -> None:
        if done == 2:
            raise Killed

    axes: dict[str, Any] = {"alpha": ["0.1", "0.2", "0.3"]}
    with pytest.raises(Killed):
        sweep(problem, path=path, workers=1, progress=kill, **axes)
    assert not path.exists()
    partial = tmp_path / "grid.parquet.partial"
    # A kill in the middle of a write leaves a line without its end.
    with partial.open("a") as file:
        file.write('\n{"key": "cut sho')
    seen: list[int] = []
    table = sweep(problem, path=path, workers=1, progress=lambda done, _: seen.append(done), **axes)
    assert seen == [3]
    assert parquet.read_table(path).equals(table)
    assert not partial.exists()


def test_refused_rows_are_kept_with_the_reason(problem):
    rows = sweep(problem, kappa=["0.1", "1"], workers=1).to_pylist()
    assert rows[0]["status"] == "refused"
    assert "kappa" in rows[0]["message"]
    assert rows[0]["q"] is None
    assert rows[1]["status"] == "converged"


def test_bad_axes_stop_before_anything_is_solved(problem, tmp_path):
    with pytest.raises(BadInput, match="alpha"):
        sweep(problem, alhpa=["0.1"])
    with pytest.raises(BadInput, match=r"^alpha "):
        sweep(problem, alpha=["0.1", "-1"], path=tmp_path / "x.parquet")
    with pytest.raises(BadInput, match="at least one"):
        sweep(problem, alpha=[])
    assert not list(tmp_path.iterdir())


def test_axis_grammar():
    assert [float(v) for v in axis_values("alpha", "0.1:0.5:5")] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert [float(v) for v in axis_values("lam", "0.01:1:3:log")] == [0.01, 0.1, 1.0]
    assert [str(v) for v in axis_values("lam", "1/3,0.2")] == ["1/3", "1/5"]
    for text in ("1:2", "1:2:1", "0:1:3:log", "1:2:3:lin", "a,b"):
        with pytest.raises(BadInput, match=r"^lam\b"):
            axis_values("lam", text)


def test_shares_make_up_the_whole(problem, tmp_path):
    """Two machines, one after the other; what is put together is not computed again."""
    path = tmp_path / "grid.parquet"
    axes: dict[str, Any] = {"alpha": ["0.1", "0.2", "0.3"]}
    whole = sweep(problem, workers=1, **axes)
    parts = [
        sweep(problem, path=path, workers=1, share=(index, 2), **axes)["alpha"].to_pylist()
        for index in range(2)
    ]
    assert parts == [[0.1, 0.3], [0.2]]
    assert not path.exists()
    journal = Journal(tmp_path / "other", row_read)
    shares = sorted(tmp_path.iterdir())
    assert journal.merge(shares) == 3
    assert journal.merge(shares) == 0
    made: list[int] = []
    table = sweep(problem, path=path, workers=1, progress=lambda *_: made.append(1), **axes)
    assert not made
    assert table.drop(["seconds"]).equals(whole.drop(["seconds"]))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["grid.parquet", "other"]


def test_what_was_solved_before_an_interrupt_is_kept(problem):
    def interrupt(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(SweepInterrupted) as held:
        sweep(problem, alpha=["0.1", "0.2", "0.3"], workers=1, progress=interrupt)
    rows = held.value.table.to_pylist()
    assert [row["status"] for row in rows] == ["converged", "converged", "interrupted"]
    assert rows[2]["q"] is None
    assert (held.value.done, held.value.total) == (2, 3)
