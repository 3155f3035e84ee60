"""Learning curves: errors of a trained head against the number of samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from attlas.model import Problem, problem_from
from attlas.reports.figures.sheet import BLUE, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.lines import MARKS, explain_marks, line, logarithmic, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows, theory_rows
from attlas.reports.reproduce.work import Work

_KAPPA0, _NOISE, _LAM = "0.5", "0.5", "0.01"
#: Width, colour, line and size of marks: the curves almost coincide, and both must be seen.
_WIDTHS = (("1", BLUE, "-", 7.0), ("0.75", ORANGE, (0, (4, 2)), 4.0))
_FLOOR = "Bayes-optimal"


def make(full: bool, work: Work) -> Picture:
    """Theory along alpha and trained heads (theory.md section 15, the paper's figure 1).

    Parameters
    ----------
    full : bool
        The paper's dimension, d = 100, and alpha up to 40; otherwise d = 40 and alpha up to 4.
    work : Work
    """
    top, points, d, seeds = (40.0, 40, 100, 8) if full else (4.0, 22, 40, 3)
    alphas = [f"{alpha:.4g}" for alpha in np.geomspace(0.02, top, points)]
    trained = ["0.05", "0.1", "0.2", "0.5", "1", "2", "4", *(("10", "40") if full else ())]
    rows: list[Row] = []
    for kappa, *_ in _WIDTHS:
        curve = _curve(kappa)
        rows += theory_rows(curve, [_problem(alpha, kappa) for alpha in alphas], work)
        rows += head_rows(curve, [_problem(alpha, kappa) for alpha in trained], d, seeds, work)
    floor = [
        problem_from(alpha=alpha, kappa0=_KAPPA0, noise=_NOISE, training="bayes")
        for alpha in alphas
    ]
    rows += theory_rows(_FLOOR, floor, work)
    caption = (
        "Errors of a trained attention head against the number of samples: two tokens, "
        f"κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}. Lines are theory, marks are heads trained "
        f"with Adam and L-BFGS at d = {d} (mean and standard error of {seeds} seeds); the dotted "
        "line is the Bayes-optimal test error, which no training passes."
    )
    settings = {
        "tokens": 2,
        "kappa0": _KAPPA0,
        "noise": _NOISE,
        "lam": _LAM,
        "kappa": [kappa for kappa, *_ in _WIDTHS],
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, d, path)

    return Picture("learning-curves", caption, settings, rows, draw)


def _curve(kappa: str) -> str:
    return f"kappa = {kappa}"


def _problem(alpha: str, kappa: str) -> Problem:
    return problem_from(alpha=alpha, lam=_LAM, kappa=kappa, kappa0=_KAPPA0, noise=_NOISE)


def _draw(rows: list[Row], d: int, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, (errors, overlaps)):
        for (kappa, colour, style, size), marker in zip(_WIDTHS, MARKS, strict=False):
            shared = {"color": colour, "linestyle": style}
            thin = {**shared, "linewidth": 1.0}
            curve = _curve(kappa)
            line(errors, rows, curve, "test_error", label=f"test, κ = {kappa}", **shared)
            line(errors, rows, curve, "train_error", label=f"training, κ = {kappa}", **thin)
            line(overlaps, rows, curve, "mse", label=f"κ = {kappa}", **shared)
            marks(errors, rows, curve, "test_error", colour, marker, size=size)
            marks(errors, rows, curve, "train_error", colour, marker, size=size)
            marks(overlaps, rows, curve, "mse", colour, marker, size=size)
        line(errors, rows, _FLOOR, "test_error", color=MUTED, linestyle=":", label="Bayes, test")
        line(overlaps, rows, _FLOOR, "mse", color=MUTED, linestyle=":", label=_FLOOR)
        explain_marks(errors, f"trained heads, d = {d}")
        explain_marks(overlaps, f"trained heads, d = {d}")
        errors.set_ylabel("error per sample")
        errors.set_ylim(0, 0.5)
        overlaps.set_ylabel("estimation error ‖S − S₀‖²/d")
        overlaps.set_ylim(bottom=0)
        for axes in (errors, overlaps):
            logarithmic(axes.xaxis, (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 10, 40))
            axes.set_xlim(0.018, 1.1 * max(row["alpha"] for row in rows))
            axes.set_xlabel("α = n/d²  (samples per squared dimension)")
            axes.legend(fontsize=8, loc="upper right")
        figure.suptitle(
            f"T = 2, κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}", x=0.01, ha="left", fontsize=10
        )
        save(figure, path)
