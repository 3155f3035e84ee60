"""The exponent table as a page of the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.solver.scaling import EVERY_MODE, MODES, Row, place_of
from attlas.solver.scaling.place import LARGE
from attlas.solver.scaling.table import CAP

COLUMNS = (
    "phase",
    "gamma",
    "d",
    "n",
    "lam",
    "noise",
    "slope",
    "predicted",
    "constant",
    "largest correction",
    "wrong formulas",
    "verdict",
)
_SHORT = {"gamma-shifted": "γ", "noise-halved": "Δ"}


def cells(row: Row) -> list[str]:
    """One row of the table as text."""
    at, (name, size) = row.place, row.correction
    return [
        at.phase,
        f"{at.gamma:g}",
        f"{at.d:.0e}",
        f"{at.n:.2e}",
        f"{at.lam:.2e}",
        f"{at.noise:.2e}",
        f"{row.slope.value:.5f} ± {row.slope.error:.0e}",
        f"{row.predicted:.5f}",
        f"{row.constant.value:.5f} ± {row.constant.error:.0e}",
        f"{name} = {size:.1e}",
        _wrong(row),
        row.verdict if row.verdict != "not reached" else f"not reached: {name} = {size:.2g}",
    ]


def _wrong(row: Row) -> str:
    told = {True: "rejected", False: "accepted"}
    found = [
        f"{_SHORT[key]} {told[value]}" for key, value in row.controls.items() if value is not None
    ]
    return ", ".join(found) or "none apply"


def scaling_page(rows: Sequence[Row], gammas: str) -> str:
    """Markdown: the exponent and the constant of every phase, numerical against predicted."""
    alpha = {phase: place_of(phase, 1.0).n / float(LARGE) ** 2 for phase in ("V", "VIa")}
    lines = [
        "# Scaling laws of power-law targets",
        "",
        "One token, factorised training, eigenvalues √d i^−γ, a point deep inside each phase of",
        "[theory.md](theory.md) section 14. `slope` is the local exponent of the numerical",
        "solution in n (at the peak in λ), `constant` its squared error over that of the formula,",
        "both with error bars of the numerics; in phase V the formula is the exact form, whose",
        f"exponent tends to 2/5 as n/d² → 0 (here n/d² = {alpha['V']:.0e}).",
        "",
        f"Points are placed by the number of recovered modes, K = {MODES:g}: the noise level (the",
        "threshold in phases II and III) is the eigenvalue of mode K, and the noise and the",
        "penalty are such that every other correction to the leading power is small. Phases",
        f"{' and '.join(EVERY_MODE)} are decided by all modes, K = d; in the others K ≪ d.",
        "`largest correction` is the largest of the ratios that the formula takes to be small",
        "(K modes above the noise level δ, threshold ε, α = n/d², R the squared error, s_d the",
        "last eigenvalue).",
        "",
        f"`agrees`: slope and constant within their margins, {CAP:.0%} or half the distance to the",
        "nearest wrong formula, error bars counted against. `not reached`: outside, where the",
        "largest correction exceeds the margin too. `wrong formulas`: γ larger by 1/4 and half the",
        "noise, where the phase's formula holds them, must be rejected.",
        "",
        "The same comparison at K = 250, 500 and 1000, extrapolated in 1/K and judged with the",
        "other claims: `attlas verify --suite full --claim scaling-exponents` (the standard suite",
        "has γ = 1.25). Modes one by one, trained heads, and what departs from theory:",
        "[power-laws.md](power-laws.md).",
        "",
        f"Made by `attlas scaling --table {gammas} --out docs/scaling.md`.",
        "",
        _line(COLUMNS),
        _line(["---"] * len(COLUMNS)),
    ]
    lines += [_line(cells(row)) for row in rows]
    return "\n".join(lines) + "\n"


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
