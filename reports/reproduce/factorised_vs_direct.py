"""Factorised against direct training, each at its own best penalty."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from reports.reproduce.lines import MARKS, explain_marks, line, logarithmic, marks
from reports.reproduce.picture import Picture, Report
from reports.reproduce.rows import Row
from reports.sheet import BLUE, GREEN, MUTED, ORANGE, save, sheet
from verify.rivals import TRAININGS, Rivals, race

_KAPPA0, _NOISE = ("0.1", "0.5"), "0.5"
_COLOURS = dict(zip(TRAININGS, (BLUE, ORANGE, GREEN), strict=True))
_NAMES = {
    "factorised": "factorised",
    "direct-psd": "direct, positive semidefinite",
    "direct": "direct",
}


def make(full: bool, report: Report) -> Picture:
    """The rivals at a low and at a higher rank of the teacher (theory.md section 11).

    Parameters
    ----------
    full : bool
        d = 80 and ten alpha; otherwise d = 40 and five.
    report : callable
    """
    d, seeds = (80, 6) if full else (40, 2)
    grid = ("0.05", "0.1", "0.2", "0.5", "1")
    alphas = (*grid, "0.03", "0.07", "0.15", "0.3", "2") if full else grid
    ordered = sorted(alphas, key=float)
    rows: list[Row] = []
    for kappa0 in _KAPPA0:
        rows += _rows(race(kappa0, _NOISE, ordered, d=d, seeds=seeds, report=report))
    caption = (
        "Test error of factorised and of direct training, each at the penalty that is best for "
        f"it: two tokens, Δ = {_NOISE}. Lines are theory, marks are trained heads (d = {d}, "
        f"{seeds} seeds). At the lower rank factorised training wins throughout; at κ₀ = 0.5 and "
        "little data the direct training that is kept positive semidefinite does."
    )
    settings = {
        "tokens": 2,
        "kappa0": list(_KAPPA0),
        "noise": _NOISE,
        "lam": "the best of each training at each alpha",
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, d, path)

    return Picture("factorised-vs-direct", caption, settings, rows, draw)


def _rows(rivals: Rivals) -> list[Row]:
    rows: list[Row] = []
    for training, points in rivals.curves.items():
        for point in points:
            values = dataclasses.asdict(point)
            shared = {
                "kappa0": rivals.kappa0,
                "curve": training,
                "alpha": values["alpha"],
                "lam": values["lam"],
            }
            theory = {"test_error": point.theory, "floor": point.floor}
            bars = {"test_error": point.error}
            rows.append({"source": "theory", **shared, **theory, "error": bars})
            if point.measured is not None:
                spread = {} if point.spread is None else {"test_error": point.spread}
                rows.append(
                    {
                        "source": "heads",
                        **shared,
                        "test_error": point.measured,
                        "d": rivals.d,
                        "runs": rivals.seeds,
                        "error": spread,
                    }
                )
    return rows


def _draw(rows: list[Row], d: int, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, panels):
        for axes, kappa0 in zip(panels, _KAPPA0, strict=True):
            _panel(axes, [row for row in rows if row["kappa0"] == float(kappa0)], d)
            axes.set_title(f"κ₀ = {kappa0}", fontsize=10, loc="left")
        panels[0].set_ylabel("test error (noisy labels)")
        panels[1].legend(fontsize=8, loc="upper right")
        figure.suptitle(
            f"T = 2, Δ = {_NOISE}, each training at its best penalty", x=0.01, ha="left",
            fontsize=10,
        )  # fmt: skip
        save(figure, path)


def _panel(axes: Any, rows: list[Row], d: int) -> None:
    for (training, colour), marker in zip(_COLOURS.items(), MARKS, strict=False):
        line(axes, rows, training, "test_error", color=colour, label=_NAMES[training])
        marks(axes, rows, training, "test_error", colour, marker)
    line(axes, rows, TRAININGS[0], "floor", color=MUTED, linestyle="--", label="Bayes-optimal")
    explain_marks(axes, f"trained heads, d = {d}")
    logarithmic(axes.xaxis, (0.05, 0.1, 0.2, 0.5, 1, 2))
    logarithmic(axes.yaxis, (0.08, 0.1, 0.15, 0.2, 0.3, 0.4))
    axes.set_xlabel("α = n/d²")
