"""The interpolation peak: what happens at the last alpha that can be interpolated, as lam -> 0."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from attlas.model import Problem, problem_from
from attlas.model.channels import channel_of
from attlas.reports.figures.sheet import BLUE, GREEN, INK, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.lines import MARKS, explain_marks, line, logarithmic, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows, theory_rows
from attlas.reports.reproduce.work import Work
from attlas.solver.thresholds import threshold

_KAPPA0, _NOISE = "0.5", "0.5"
_PENALTIES = (("0", INK), ("0.003", BLUE), ("0.01", ORANGE), ("0.1", GREEN))
#: alpha over that of the threshold.
_GRID = ("0.25", "0.4", "0.55", "0.7", "0.85", "0.95", "0.9999", "1.1", "1.5", "2.2", "3.2", "5")
_FINE = ("0.8", "0.9", "0.98", "1.03", "1.06", "1.17", "1.25", "1.35", "1.75", "2.7", "4.2")
#: Accuracy of the ridgeless limit beyond the threshold, where scores vary over many decades.
_RTOL = 1e-2


def make(full: bool, work: Work) -> Picture:
    """Errors through the threshold for one and for two tokens (theory.md section 8).

    Parameters
    ----------
    full : bool
        Heads at d = 80, a finer grid; otherwise d = 40.
    work : Work
    """
    d, seeds = (80, 8) if full else (40, 2)
    rows: list[Row] = []
    thresholds = {}
    for tokens in (1, 2):
        found = threshold("interpolation", kappa0=_KAPPA0, noise=_NOISE, tokens=tokens)
        assert found.alpha is not None  # these two thresholds always exist
        at = Fraction(found.alpha)
        thresholds[tokens] = float(at)
        # One token has closed forms, and a fine grid costs nothing.
        shares = [*_GRID, *(_FINE if full or channel_of(tokens).linear else ())]
        for lam, _ in _PENALTIES:
            problems = [_problem(tokens, lam, Fraction(share) * at) for share in shares]
            rows += theory_rows(_curve(tokens, lam), problems, work, rtol=_RTOL)
        trained = [Fraction(share) * at for share in ("0.55", "0.8", "1", "1.5", "2.5")]
        for lam in ("0.01", "0.1"):
            problems = [_problem(tokens, lam, alpha) for alpha in trained]
            rows += head_rows(_curve(tokens, lam), problems, d, seeds, work)
    caption = (
        "The interpolation peak, for one token (linear channel, left) and for two (softmax, "
        f"right): κ₀ = {_KAPPA0}, Δ = {_NOISE}. Lines are theory, for λ → 0⁺ in black; marks are "
        f"trained heads (d = {d}, {seeds} seeds). The dotted line is the last α at which noisy "
        "labels can be interpolated; the peak there is finite because S is positive semidefinite."
    )
    settings = {
        "tokens": [1, 2],
        "kappa0": _KAPPA0,
        "noise": _NOISE,
        "lam": [lam for lam, _ in _PENALTIES],
        "threshold": {str(tokens): alpha for tokens, alpha in thresholds.items()},
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, thresholds, d, path)

    return Picture("interpolation-peak", caption, settings, rows, draw)


def _curve(tokens: int, lam: str) -> str:
    return f"T = {tokens}, lam = {lam}"


def _problem(tokens: int, lam: str, alpha: Fraction) -> Problem:
    return problem_from(
        alpha=f"{float(alpha):.6g}", lam=lam, tokens=tokens, kappa0=_KAPPA0, noise=_NOISE
    )


def _draw(rows: list[Row], thresholds: dict[int, float], d: int, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, panels):
        for axes, tokens, key, name in (
            (panels[0], 1, "mse", "estimation error ‖S − S₀‖²/d"),
            (panels[1], 2, "test_error_clean", "test error (clean labels)"),
        ):
            _panel(axes, rows, tokens, key)
            axes.axvline(thresholds[tokens], color=MUTED, linestyle=":", linewidth=1.2)
            axes.set_ylabel(name)
            axes.set_title(f"T = {tokens}", fontsize=10, loc="left")
            explain_marks(axes, f"trained heads, d = {d}")
        panels[0].legend(fontsize=8, loc="upper right")
        figure.suptitle(f"κ₀ = {_KAPPA0}, Δ = {_NOISE}", x=0.01, ha="left", fontsize=10)
        save(figure, path)


def _panel(axes: Any, rows: list[Row], tokens: int, key: str) -> None:
    for (lam, colour), marker in zip(_PENALTIES, (*MARKS,), strict=True):
        name = "λ → 0⁺" if lam == "0" else f"λ = {lam}"
        line(axes, rows, _curve(tokens, lam), key, color=colour, label=name)
        marks(axes, rows, _curve(tokens, lam), key, colour, marker)
    logarithmic(axes.xaxis, (0.05, 0.1, 0.2, 0.3, 0.5, 1))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("α = n/d²")
