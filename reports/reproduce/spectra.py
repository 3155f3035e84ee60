"""The spectrum of the trained map, below and beyond the number of samples that recovers S₀."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import problem_from
from attlas.reports.figures.root_scale import square_root_scale
from attlas.reports.figures.sheet import BLUE, INK, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, heads
from attlas.reports.reproduce.work import Work
from attlas.solver.learned_spectrum import spectrum

_KAPPA0, _NOISE, _LAM = "0.5", "0.5", "0.01"
_ALPHAS = ("0.05", "0.5", "4", "40")
_RTOL = 1e-4
#: Most bins of trained eigenvalues, and bins over the square root of their number.
_BINS, _FINENESS = 26, 1.3


def make(full: bool, work: Work) -> Picture:
    """Predicted law and trained eigenvalues at four alpha (the paper's setting).

    Parameters
    ----------
    full : bool
        The paper's dimension, d = 200, where one head at alpha = 40 takes up to an hour and
        11 GB; otherwise d = 40, more seeds, and theory alone at alpha = 40.
    work : Work
    """
    d = 200 if full else 40
    counts = (2, 2, 2, 1) if full else (12, 12, 4, 0)
    seeds = {alpha: count for alpha, count in zip(_ALPHAS, counts, strict=True) if count}
    rows: list[Row] = []
    for alpha in _ALPHAS:
        problem = problem_from(alpha=alpha, lam=_LAM, kappa0=_KAPPA0, noise=_NOISE)
        found = work.kept(spectrum)(problem, rtol=_RTOL)
        work.report(f"theory, alpha = {alpha}")
        rows.append(
            {
                "source": "theory",
                "alpha": float(alpha),
                "mass_at_zero": found.mass_at_zero,
                "eta": found.eta,
                "delta": found.delta,
                "epsilon": found.epsilon,
                "x": list(map(float, found.density.x)),
                "density": list(map(float, found.density.rho)),
                "error": {"mass_at_zero": found.error.mass_at_zero},
            }
        )
        if alpha not in seeds:
            continue
        kept = heads(problem, d, seeds[alpha], work, f"alpha = {alpha}")
        rows += [
            {
                "source": "heads",
                "alpha": float(alpha),
                "d": d,
                "seed": run.seed,
                "mass_at_zero": 1 - len(run.non_zero_eigenvalues) / d,
                "eigenvalues": run.non_zero_eigenvalues.tolist(),
                "error": {},
            }
            for run in kept
        ]
    caption = (
        "Non-zero eigenvalues of the learned map S: two tokens, "
        f"κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}. Lines are the predicted law "
        f"η ReLU(S₀ + δZ − ε), bars are trained heads (d = {d}"
        f"{'' if full else '; for α = 40 only with --full'}); with more data the noise "
        "shrinks and the spectrum becomes that of the teacher (dashed)."
    )
    settings = {
        "tokens": 2,
        "kappa0": _KAPPA0,
        "noise": _NOISE,
        "lam": _LAM,
        "alpha": list(_ALPHAS),
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, path)

    return Picture("spectra", caption, settings, rows, draw)


def _draw(rows: list[Row], path: Path) -> None:
    with sheet(10.4, 3.1, widths=(1.0,) * len(_ALPHAS)) as (figure, panels):
        for number, (axes, alpha) in enumerate(zip(panels, _ALPHAS, strict=True)):
            here = [row for row in rows if row["alpha"] == float(alpha)]
            _panel(axes, here)
            axes.set_title(f"α = {alpha}", fontsize=10, loc="left")
            axes.set_xlabel("eigenvalue of S")
            if number == 0:
                axes.set_ylabel("density (square-root scale)")
                axes.legend(fontsize=8, loc=(0.55, 0.5), handlelength=1.4)
        figure.suptitle(
            f"T = 2, κ₀ = {_KAPPA0}, Δ = {_NOISE}, λ = {_LAM}", x=0.01, ha="left", fontsize=10
        )
        save(figure, path)


def _panel(axes: Any, rows: list[Row]) -> None:
    (law,) = (row for row in rows if row["source"] == "theory")
    heads = [row for row in rows if row["source"] == "heads"]
    x, density = np.array(law["x"]), np.array(law["density"])
    seen = [value for row in heads for value in row["eigenvalues"]]
    teacher = _teacher(float(_KAPPA0))
    top = 1.02 * max([x.max(), teacher[0][-1], *seen])
    if heads:
        edges = np.linspace(0, top, 1 + min(_BINS, round(_FINENESS * len(seen) ** 0.5)))
        counts = np.histogram(seen, edges)[0]
        heights = counts / (len(heads) * heads[0]["d"] * np.diff(edges))
        axes.stairs(heights, edges, fill=True, color=ORANGE, alpha=0.35, label="trained")
    axes.plot(x, density, color=BLUE, linewidth=1.8, label="theory")
    axes.plot(*teacher, "--", color=MUTED, linewidth=1.1, label="teacher")
    square_root_scale(axes)
    axes.set_xlim(0, top)
    axes.set_ylim(0, 1.6 * max(density.max(), teacher[1].max()))
    zeros = f"; trained {np.mean([row['mass_at_zero'] for row in heads]):.3f}" if heads else ""
    axes.text(
        0.97,
        0.97,
        f"share of zeros {law['mass_at_zero']:.3f}{zeros}",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=8,
        color=INK,
    )


def _teacher(kappa0: float) -> tuple[np.ndarray, np.ndarray]:
    """The Marchenko-Pastur density of the teacher's non-zero eigenvalues."""
    root = np.sqrt(kappa0)
    low, high = (1 - root) ** 2 / root, (1 + root) ** 2 / root
    x = (low + high) / 2 - (high - low) / 2 * np.cos(np.linspace(0, np.pi, 300))
    inside = np.maximum((high - x) * (x - low), 0)
    return x, np.sqrt(inside) * root / (2 * np.pi * x)
