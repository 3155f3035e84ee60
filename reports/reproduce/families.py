"""Figures of the paper that are families of curves against alpha, written as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import Problem, problem_from
from attlas.reports.figures.sheet import save, sheet
from attlas.reports.plot import ALPHA, LABELS, STYLES
from attlas.reports.reproduce.lines import explain_marks, line, logarithmic, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows, theory_rows
from attlas.reports.reproduce.work import Work


@dataclass(frozen=True)
class Family:
    """Curves of one result key.

    Attributes
    ----------
    says : str
        What is seen, in a sentence.
    key : str
        The result key.
    shared : dict
        Parameters of all curves.
    curves : dict from str to dict
        Parameters of each, by its name.
    alphas : (float, float)
        Ends of the axis.
    points : (int, int)
        Alphas of theory, small and at the paper's size.
    trained : tuple of str
        Alphas of the heads.
    heads : tuple of str, optional
        Curves that have heads; all by default.
    d : (int, int)
        Size of the heads, small and at the paper's size.
    logarithmic : bool
        The axis of alpha.
    """

    says: str
    key: str
    shared: dict[str, str]
    curves: dict[str, dict[str, str]]
    alphas: tuple[float, float]
    points: tuple[int, int]
    trained: tuple[str, ...]
    heads: tuple[str, ...] = ()
    d: tuple[int, int] = (32, 80)
    logarithmic: bool = True


_HALF = {"kappa0": "0.5", "noise": "0.5"}
_LAMS = ("0.01", "0.002", "0.001", "0.0005", "0.0001", "0.00001")

FAMILIES: dict[str, Family] = {
    "small-penalties": Family(
        says=(
            "Smaller and smaller penalties: below the last α that can be interpolated the limit "
            "λ → 0⁺ is approached from below, and a peak grows there."
        ),
        key="test_error",
        shared=_HALF,
        curves={"λ → 0⁺": {"lam": "0"}, **{f"λ = {lam}": {"lam": lam} for lam in _LAMS[::-1]}},
        alphas=(0.05, 0.5),
        points=(9, 128),
        trained=("0.1", "0.2", "0.4"),
        heads=("λ = 0.01", "λ = 0.001"),
        logarithmic=False,
    ),
    "temperatures": Family(
        says="The softmax from nearly linear to sharp, of teacher and student alike.",
        key="test_error",
        shared={**_HALF, "lam": "0.01"},
        curves={f"β = {beta}": {"beta": beta, "beta0": beta} for beta in ("0.5", "1", "2")},
        alphas=(0.02, 4.0),
        points=(10, 40),
        trained=("0.05", "0.2", "1"),
    ),
    "numbers-of-tokens": Family(
        says="Longer sequences: every sample has more scores, and fewer of them are needed.",
        key="mse",
        shared={"kappa0": "0.5", "lam": "0.01"},
        curves={f"T = {tokens}": {"tokens": tokens} for tokens in ("2", "3", "5")},
        alphas=(0.02, 0.5),
        points=(4, 16),
        trained=("0.05", "0.2"),
        d=(24, 60),
    ),
    "tasks": Family(
        says="Sequences to labels, and sequences to sequences: one theory for both.",
        key="test_error",
        shared={**_HALF, "lam": "0.01"},
        curves={name: {"task": name} for name in ("seq2lab", "seq2seq")},
        alphas=(0.02, 4.0),
        points=(8, 40),
        trained=("0.1", "0.5"),
    ),
    "ranks": Family(
        says="Rank of the trained map over d: it passes the teacher's rank κ₀ and returns to it.",
        key="rank_fraction",
        shared={"lam": "0.01"},
        curves={f"κ₀ = {kappa0}": {"kappa0": kappa0} for kappa0 in ("0.2", "0.5", "0.8")},
        alphas=(0.01, 2.0),
        points=(12, 60),
        trained=("0.05", "0.2", "1"),
        d=(40, 80),
    ),
}
_SEEDS = (2, 6)


def make(name: str, full: bool, work: Work) -> Picture:
    """One of :data:`FAMILIES`: theory along alpha, and trained heads (theory.md section 15).

    Parameters
    ----------
    name : str
    full : bool
        The paper's numbers of points and sizes of heads.
    work : Work
    """
    family = FAMILIES[name]
    d, seeds, count = family.d[full], _SEEDS[full], family.points[full]
    space = np.geomspace if family.logarithmic else np.linspace
    alphas = [f"{alpha:.6g}" for alpha in space(*family.alphas, count)]
    rows: list[Row] = []
    for curve, own in family.curves.items():

        def at(alpha: str, own: dict[str, str] = own) -> Problem:
            return problem_from(**{**family.shared, **own, "alpha": alpha})

        rows += theory_rows(curve, [at(alpha) for alpha in alphas], work)
        if curve in (family.heads or family.curves):
            rows += head_rows(curve, [at(alpha) for alpha in family.trained], d, seeds, work)
    caption = (
        f"{family.says} {_settings(family)}. Lines are theory; marks are trained heads "
        f"(d = {d}, mean and standard error of {seeds} seeds)."
    )
    settings: dict[str, Any] = {**family.shared, "curves": family.curves, "d": d, "seeds": seeds}
    return Picture(name, caption, settings, rows, lambda path: _draw(family, rows, d, path))


def _settings(family: Family) -> str:
    names = {"kappa0": "κ₀", "noise": "Δ", "lam": "λ"}
    return ", ".join(f"{names[key]} = {value}" for key, value in family.shared.items())


def _draw(family: Family, rows: list[Row], d: int, path: Path) -> None:
    with sheet(6.4, 4.2) as (figure, (axes,)):
        for (colour, style, marker), curve in zip(
            (STYLES * 2)[: len(family.curves)], family.curves, strict=True
        ):
            line(axes, rows, curve, family.key, label=curve, color=colour, linestyle=style)
            marks(axes, rows, curve, family.key, colour, marker)
        explain_marks(axes, f"trained heads, d = {d}")
        axes.set_xlabel(ALPHA)
        axes.set_ylabel(LABELS.get(family.key, family.key))
        axes.set_ylim(bottom=0)
        if family.logarithmic:
            ticks = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
            low, high = family.alphas
            logarithmic(axes.xaxis, [tick for tick in ticks if low <= tick <= high])
        axes.legend(fontsize=8)
        figure.suptitle(_settings(family), x=0.01, ha="left", fontsize=10)
        save(figure, path)
