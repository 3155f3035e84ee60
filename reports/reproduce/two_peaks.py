"""The interpolation peaks of a tied and of an untied head: one is finite, the other is not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from attlas.model import Problem, problem_from
from attlas.reports.figures.sheet import BLUE, INK, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.lines import explain_marks, line, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows, theory_rows
from attlas.reports.reproduce.work import Work
from attlas.solver.thresholds import threshold

_KAPPA0, _NOISE = "0.5", "0.5"
_PENALTIES = (("0", INK), ("0.02", BLUE), ("0.2", ORANGE))
#: Training, its name, and alpha over that of the threshold at which it is drawn.
_HEADS = (("factorised", "tied, S = W Wᵀ"), ("untied", "untied, S = W_Q W_Kᵀ"))
_GRID = ("0.3", "0.5", "0.7", "0.85", "0.93", "0.97", "1.03", "1.08", "1.2", "1.5", "2", "3")
_TRAINED = ("0.5", "0.8", "1", "1.3", "2")


def make(full: bool, work: Work) -> Picture:
    """Squared errors of both through their thresholds, one token (theory.md sections 8 and 19).

    Parameters
    ----------
    full : bool
        Heads at d = 60; otherwise d = 24.
    work : Work
    """
    d, seeds = (60, 6) if full else (24, 2)
    rows: list[Row] = []
    edges = {}
    for training, name in _HEADS:
        problem = _problem(training, "1", Fraction(1))
        found = threshold("interpolation", problem=problem)
        assert found.alpha is not None  # with noise both have one
        edge = edges[name] = Fraction(found.alpha)
        for lam, _ in _PENALTIES:
            curve = f"{name}, lam = {lam}"
            grid = [_problem(training, lam, Fraction(share) * edge) for share in _GRID]
            rows += theory_rows(curve, grid, work)
            if lam != "0":
                trained = [_problem(training, lam, Fraction(share) * edge) for share in _TRAINED]
                rows += head_rows(curve, trained, d, seeds, work)
    caption = (
        f"One label a sample, κ₀ = {_KAPPA0}, Δ = {_NOISE}: squared error of the map through the "
        "last α at which noisy labels can be interpolated (dotted). Lines are theory, for λ → 0⁺ "
        f"in black; marks are trained heads (d = {d}, {seeds} seeds). A tied head is positive, and "
        "its peak is finite; an untied one has any sign, and its peak is not."
    )
    settings = {
        "kappa0": _KAPPA0,
        "noise": _NOISE,
        "lam": [lam for lam, _ in _PENALTIES],
        "threshold": {name: float(edge) for name, edge in edges.items()},
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, {name: float(edge) for name, edge in edges.items()}, d, path)

    return Picture("two-peaks", caption, settings, rows, draw)


def _problem(training: str, lam: str, alpha: Fraction) -> Problem:
    return problem_from(
        alpha=f"{float(alpha):.6g}",
        lam=lam,
        tokens=1,
        kappa0=_KAPPA0,
        noise=_NOISE,
        training=training,
    )


def _draw(rows: list[Row], edges: dict[str, float], d: int, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, panels):
        for axes, (name, edge) in zip(panels, edges.items(), strict=True):
            for (lam, colour), marker in zip(_PENALTIES, "osD", strict=True):
                label = "λ → 0⁺" if lam == "0" else f"λ = {lam}"
                curve = f"{name}, lam = {lam}"
                line(axes, rows, curve, "mse", color=colour, label=label)
                marks(axes, rows, curve, "mse", colour, marker)
            axes.axvline(edge, color=MUTED, linestyle=":", linewidth=1.2)
            axes.set_ylim(0, 10)
            axes.set_title(name, fontsize=10, loc="left")
            axes.set_xlabel("α = n/d²")
            axes.set_ylabel("squared error ‖S − S₀‖²/d")
            explain_marks(axes, f"trained heads, d = {d}")
        panels[0].legend(fontsize=8, loc="upper right")
        figure.suptitle(f"κ₀ = {_KAPPA0}, Δ = {_NOISE}", x=0.01, ha="left", fontsize=10)
        save(figure, path)
