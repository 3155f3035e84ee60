"""The four causes of the test error, along the number of samples."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from attlas.model import problem_from
from attlas.reports.figures.decomposition import decomposition_figure
from attlas.reports.figures.sheet import save
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row
from attlas.reports.reproduce.work import Work
from attlas.verify.spectra.along import PartsRow, parts_along, trainer

_KAPPA0, _NOISE, _LAM = "0.5", "0.5", "0.01"


def make(full: bool, work: Work) -> Picture:
    """Overfitting, underfitting, approximation and mismatch (theory.md section 13).

    Parameters
    ----------
    full : bool
        Heads at d = 100; otherwise d = 40.
    work : Work
    """
    # The theory at each head's own teacher costs more than its training where samples are few.
    d, seeds = (100, 6) if full else (40, 2)
    drawn = ("0.02", "0.03", "0.05", "0.1", "0.15", "0.3", "0.7", "1.4", "3", "6", "10")
    trained = ("0.05", "0.1", "0.2", "0.5", "1", "2") if full else ("0.2", "0.5", "1", "2")
    rows = []
    for alpha in sorted({*drawn, *trained}, key=float):
        rows += work.kept(_parts)(alpha, d, seeds if alpha in trained else 0)
        work.report(f"alpha = {alpha}")
    caption = (
        "What the test error is made of: two tokens, "
        f"κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}. Left: the squared error to the best multiple "
        "of S₀ is the sum of three parts, stacked; circles are the same parts of trained heads "
        f"(d = {d}, {seeds} seeds). Right: the test error, and what the parts explain of it."
    )
    settings = {
        "tokens": 2,
        "kappa0": _KAPPA0,
        "noise": _NOISE,
        "lam": _LAM,
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        title = f"T = 2, κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}; heads at d = {d}"
        save(decomposition_figure(rows, title), path)

    return Picture(
        "decomposition", caption, settings, [r for row in rows for r in _rows(row)], draw
    )


def _parts(alpha: str, d: int, seeds: int) -> list[PartsRow]:
    problem = problem_from(alpha=alpha, lam=_LAM, kappa0=_KAPPA0, noise=_NOISE)
    return parts_along([problem], trainer(d, range(seeds), "adam", "auto") if seeds else None)


def _rows(row: PartsRow) -> list[Row]:
    found: list[Row] = [
        {
            "source": "theory",
            "alpha": float(row.alpha),
            **row.decomposition.present(),
            "error": row.decomposition.error.present(),
        }
    ]
    if row.measured:
        means = {key: dataclasses.asdict(mean) for key, mean in row.measured.items()}
        found.append(
            {
                "source": "heads",
                "alpha": float(row.alpha),
                **{key: mean["value"] for key, mean in means.items()},
                "paired theory": {key: mean["paired"] for key, mean in means.items()},
                "error": {key: mean["error"] for key, mean in means.items()},
            }
        )
    return found
