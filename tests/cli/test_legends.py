"""Tables say what stands beside a number: error bars, numbers in brackets, empty columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attlas.cli.main import main

HEADS = "--lam 0.05 --kappa0 0.5 --tokens 1 --d 12 --simulate --seeds"
POWER_LAW = "scaling --target power-law:gamma=1,d=12"
PLANE = "scaling --target power-law:gamma=1,d=20"
#: Command lines with the marks of their tables, and what is said about each.
MARKS = {
    f"decompose --alpha 0.3 {HEADS} 2": {
        "+- ": "heads: mean of the trained heads +- its standard error",
        " (": "in brackets\nthe mean of the theory at each head's own teacher",
    },
    f"decompose --alpha 0.3 {HEADS} 1": {"+- nan": "(nan for one head)"},
    f"spectrum --alpha 0.2,0.4 {HEADS} 2": {
        "+- ": "heads: mean of the trained heads +- its standard error",
        " (": "in brackets\nthe mean of the theory at each head's own teacher",
    },
    f"spectrum --alpha 0.3 {HEADS} 2": {"+- ": "draws +- its standard deviation"},
    "simulate --alpha 0.3 --lam 0.05 --kappa0 0.5 --tokens 1 --d 12 --seeds 2": {
        "error": "error: standard error of the mean over runs",
        "paired theory": "paired theory: mean of the theory at each run's own teacher",
    },
    f"{POWER_LAW} --emergence --modes 1 --n 400 --seeds 2": {
        "±": "±: standard error over the trained heads",
        "detaches": "detaches: the n at which",
    },
    f"{POWER_LAW} --study tail --seeds 2 --n 3200": {"theory +-": "`theory` are random matrices"},
    "spectrum --weights WEIGHTS --heads 1": {
        "+- ": "+- its standard error",
        "beyond": "beyond: how many are larger",
    },
}


def table(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    # Nine directions only: more than the eight values beyond the edge that a tail needs.
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.standard_normal((size, 9)))[0] for size in (40, 48))
    weight = (left * np.geomspace(14, 10, 9)) @ right.T
    np.save(folder / "w.npy", np.array([weight, weight]))
    assert main([str(folder / "w.npy") if w == "WEIGHTS" else w for w in line.split()]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("line", MARKS)
def test_marks_are_explained_below_the_table(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = table(line, tmp_path, capsys)
    for mark, meaning in MARKS[line].items():
        at = shown.find(meaning)
        assert mark in shown[:at], f"{mark!r} is not in the table"
        assert at > 0, f"{meaning!r} is not said"


@pytest.mark.parametrize(
    ("line", "option", "name"),
    [
        ("decompose --alpha 0.3 --lam 0.05 --kappa0 0.5 --tokens 1", "--plot", "parts.svg"),
        ("spectrum --alpha 0.3 --lam 0.05 --kappa0 0.5 --tokens 1", "--plot", "one.svg"),
        ("spectrum --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1", "--plot", "several.svg"),
        ("spectrum --weights WEIGHTS --heads 1", "--plot", "weights.svg"),
        (f"{PLANE} --n 400,800 --lam 1", "--out", "plane.json"),
        (f"{PLANE} --compare-routes --n 400", "--out", "routes.json"),
        (f"{POWER_LAW} --study tail --n 3200", "--out", "tail.json"),
    ],
)
def test_the_file_that_was_written_is_named_on_standard_error(
    line: str, option: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "w.npy", np.random.default_rng(0).standard_normal((2, 12, 12)))
    file = tmp_path / name
    words = [str(tmp_path / "w.npy") if w == "WEIGHTS" else w for w in line.split()]
    assert main([*words, option, str(file)]) == 0
    assert file.is_file()
    shown = capsys.readouterr()
    assert f"Written: {file}\n" in shown.err
    assert str(file) not in shown.out


def test_the_plane_says_what_its_columns_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = table(f"{PLANE} --n 400,800 --lam 1", tmp_path, capsys)
    assert "exponent:\nd log mse/d log n" in shown[shown.find("predicted_exponent") :]


@pytest.mark.parametrize("line", ["decompose --alpha 0.2,0.3", "spectrum --alpha 0.2,0.3"])
def test_without_heads_nothing_is_said_of_them(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*line.split(), "--lam", "0.05", "--kappa0", "0.5", "--tokens", "1"]) == 0
    assert "heads" not in capsys.readouterr().out


def test_columns_of_heads_that_were_not_trained_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"{POWER_LAW} --study tail --n 3200"
    head, _, below = table(line, tmp_path, capsys).partition("epsilon. ")
    assert "heads" not in head.splitlines()[1]
    flat = " ".join(below.split())
    assert "Left out, as no heads are trained without --seeds: heads count, heads, heads +-" in flat
    assert "heads count" in table(f"{line} --seeds 2", tmp_path, capsys).splitlines()[1]
