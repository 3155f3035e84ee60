"""How far weight decay is from the best that any method can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import Problem, problem_from
from attlas.reports.figures.sheet import BLUE, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.lines import explain_marks, line, logarithmic, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows, theory_rows
from attlas.reports.reproduce.work import Work
from attlas.solver.thresholds import threshold

_KAPPA0, _LAM = "0.5", "0.001"
_BAYES, _LIMIT, _TRAINED = "Bayes-optimal", "factorised, lam -> 0+", f"factorised, lam = {_LAM}"
_RECOVERIES = (("perfect-recovery", "factorised, λ → 0⁺", BLUE), ("bayes", _BAYES, ORANGE))


def make(full: bool, work: Work) -> Picture:
    """Test errors without noise, and the samples that recover S₀ (theory.md sections 7 and 12).

    Parameters
    ----------
    full : bool
        Heads at d = 80; otherwise d = 40.
    work : Work
    """
    d, seeds = (80, 6) if full else (40, 2)
    alphas = [f"{alpha:.4g}" for alpha in np.linspace(0.01, 0.24, 24)]
    trained = ("0.05", "0.1", "0.15", "0.2")
    rows: list[Row] = []
    rows += theory_rows(_BAYES, [_bayes(alpha) for alpha in alphas], work)
    rows += theory_rows(_LIMIT, [_problem(alpha, "0") for alpha in alphas], work)
    rows += theory_rows(_TRAINED, [_problem(alpha, _LAM) for alpha in alphas[::2]], work)
    rows += head_rows(_TRAINED, [_problem(alpha, _LAM) for alpha in trained], d, seeds, work)
    for kappa0 in np.round(np.linspace(0.02, 1, 25), 4):
        for name, _, _ in _RECOVERIES:
            found = threshold(name, kappa0=f"{kappa0:g}", tokens=2)
            assert found.alpha is not None  # both exist for every kappa0
            rows.append(
                {
                    "source": "theory",
                    "curve": name,
                    "kappa0": float(kappa0),
                    "alpha": float(found.alpha),
                    "error": {},
                }
            )
    work.report("theory, thresholds")
    caption = (
        f"Factorised training beside the Bayes-optimal estimator: two tokens, no noise. Left: "
        f"test error at κ₀ = {_KAPPA0}; lines are theory, marks are trained heads (d = {d}, "
        f"{seeds} seeds). Right: the number of samples beyond which S₀ is recovered exactly."
    )
    settings = {
        "tokens": 2,
        "kappa0": _KAPPA0,
        "noise": "0",
        "lam": ["0", _LAM],
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, d, path)

    return Picture("bayes", caption, settings, rows, draw)


def _bayes(alpha: str) -> Problem:
    return problem_from(alpha=alpha, kappa0=_KAPPA0, training="bayes")


def _problem(alpha: str, lam: str) -> Problem:
    return problem_from(alpha=alpha, lam=lam, kappa0=_KAPPA0)


def _draw(rows: list[Row], d: int, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, (errors, recovery)):
        _errors(errors, rows, d)
        _recovery(recovery, rows)
        figure.suptitle("T = 2, Δ = 0", x=0.01, ha="left", fontsize=10)
        save(figure, path)


def _errors(axes: Any, rows: list[Row], d: int) -> None:
    line(axes, rows, _LIMIT, "test_error", color=BLUE, label="factorised, λ → 0⁺")
    line(axes, rows, _TRAINED, "test_error", color=MUTED, linestyle="-.", label=f"λ = {_LAM}")
    marks(axes, rows, _TRAINED, "test_error", MUTED)
    line(axes, rows, _BAYES, "test_error", color=ORANGE, linestyle="--", label=_BAYES)
    explain_marks(axes, f"trained heads at λ = {_LAM}, d = {d}")
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("α = n/d²")
    axes.set_ylabel("test error")
    axes.set_title(f"κ₀ = {_KAPPA0}", fontsize=10, loc="left")
    axes.legend(fontsize=8, loc="upper right")


def _recovery(axes: Any, rows: list[Row]) -> None:
    for (name, label, colour), style in zip(_RECOVERIES, ("-", "--"), strict=True):
        line(axes, rows, name, "alpha", x="kappa0", color=colour, linestyle=style, label=label)
    logarithmic(axes.xaxis, (0.02, 0.05, 0.1, 0.2, 0.5, 1))
    logarithmic(axes.yaxis, (0.01, 0.02, 0.05, 0.1, 0.2))
    axes.set_xlabel("κ₀ = p₀/d  (rank of the teacher over dimension)")
    axes.set_ylabel("α beyond which S₀ is recovered")
    axes.set_title("perfect recovery", fontsize=10, loc="left")
    axes.legend(fontsize=8, loc="lower right")
