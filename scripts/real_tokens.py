"""Heads on the tokens of a file, beside isotropic theory and that of their covariance and length.

python scripts/real_tokens.py FILE --d 64 --seeds 4 --out picture.svg

Prints the numbers of docs/tokens.md and draws docs/pictures/real-tokens.svg.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from attlas import Tokens, simulate, solve
from attlas.model import problem_from
from attlas.reports.figures.sheet import BLUE, MUTED, ORANGE, save, sheet
from attlas.verify.data.pool import TokenPool

KEYS = ("loss", "train_error", "test_error")
#: Error, its name and its colour in the picture.
DRAWN = (("train_error", "training error", ORANGE), ("test_error", "test error", BLUE))
ALPHAS = ("0.15", "0.25", "0.5", "1", "2")


def rows_of(pool: TokenPool, d: int, seeds: int, alphas: tuple[str, ...]) -> list[dict[str, Any]]:
    """At each alpha the three theories, and means of heads with their standard errors."""
    rows = []
    for alpha in alphas:
        problem = problem_from(alpha=alpha, lam="0.05", kappa0="0.5", noise="0.5")
        theories = {
            "isotropic": problem,
            "covariance": problem.with_(tokens=Tokens(covariance=pool.tokens.covariance)),
            "full": problem.with_(tokens=pool.tokens),
        }
        row: dict[str, Any] = {"alpha": alpha}
        for name, one in theories.items():
            solution = solve(one)
            row[name] = {key: getattr(solution, key) for key in KEYS}
        heads = simulate(problem, d=d, seeds=seeds, token_data=pool, paired=False)
        row["heads"] = {key: (getattr(heads.mean, key), getattr(heads.error, key)) for key in KEYS}
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def draw(rows: list[dict[str, Any]], d: int, seeds: int, out: Path) -> None:
    """Errors over those of the isotropic theory."""
    rows = sorted(rows, key=lambda row: float(row["alpha"]))
    alphas = [float(row["alpha"]) for row in rows]
    with sheet(7.2, 3.4) as (figure, (axes,)):
        axes.axhline(1, color=MUTED, linestyle=":", label="theory of isotropic Gaussian tokens")
        for key, name, colour in DRAWN:
            base = [row["isotropic"][key] for row in rows]
            full = [row["full"][key] / one for row, one in zip(rows, base, strict=True)]
            axes.plot(alphas, full, color=colour, label=f"{name}, theory of these tokens")
            means, bars = zip(*(row["heads"][key] for row in rows), strict=True)
            axes.errorbar(
                alphas,
                [mean / one for mean, one in zip(means, base, strict=True)],
                [bar / one for bar, one in zip(bars, base, strict=True)],
                color=colour,
                fmt="o",
                capsize=2,
                label=f"{name}, heads at d = {d}, {seeds} seeds",
            )
        axes.set(xscale="log", xlabel="α = n/d²", ylabel="error / isotropic theory")
        axes.set_xticks(alphas, [f"{alpha:g}" for alpha in alphas])
        axes.minorticks_off()
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, out)


def main() -> None:
    """Read the command line, compute and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--d", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--order", default="pairs")
    parser.add_argument("--reduce", default="random")
    parser.add_argument("--alpha", default=",".join(ALPHAS))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    pool = TokenPool.of(given.file, given.d, order=given.order, reduce=given.reduce)
    rows = rows_of(pool, given.d, given.seeds, tuple(given.alpha.split(",")))
    if given.out is not None:
        draw(rows, given.d, given.seeds, given.out)


if __name__ == "__main__":
    main()
