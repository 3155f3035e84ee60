"""Power-law targets: a scaling law made of modes that are recovered one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import Factorised, LinearChannel, PowerLaw, Problem
from attlas.reports.figures.sheet import BLUE, GREEN, MUTED, ORANGE, SURFACE, save, sheet
from attlas.reports.reproduce.lines import MARKS, explain_marks, line, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_row, heads
from attlas.reports.reproduce.work import Work
from attlas.solver.learned_spectrum import spectrum
from attlas.solver.scaling import level
from attlas.solver.scaling.predictions import best_penalty, rate

_GAMMA, _NOISE = "1.25", 0.1
#: Penalties over lambda_c, which is the best one as the error becomes small beside the noise.
_TIMES = ((1.0, "λ = λ_c", BLUE), (10.0, "λ = 10 λ_c", ORANGE), (0.1, "λ = λ_c/10", GREEN))
_MODES = 6
#: Samples over d^2 from which proximal gradient on S is the faster way to the minimum.
_MANY = 0.3


def make(full: bool, work: Work) -> Picture:
    """Squared error along n, and the learned eigenvalues (theory.md section 14), one token.

    Parameters
    ----------
    full : bool
        d = 400, theory.md's setting; otherwise d = 60.
    work : Work
    """
    d, seeds = (400, 2) if full else (60, 4)
    target = PowerLaw(_GAMMA, d)
    samples = np.geomspace(2 * d, 60 * d**2, 25)
    trained = np.geomspace(4 * d, d**2, 6)
    rows: list[Row] = []
    for times, name, _ in _TIMES:
        rows += [_theory(name, target, n, times, work) for n in samples]
        work.report(f"theory, {name}")
        rows += [row for n in trained for row in _heads(name, target, n, times, seeds, work)]
    rows += [row for n in samples for row in _eigenvalues(target, n, work)]
    work.report("theory, eigenvalues")
    caption = (
        f"Learning a power-law target (eigenvalues √d i^−γ, γ = {_GAMMA}, d = {d}; one token, "
        f"Δ = {_NOISE}; λ_c = 4 (Δn)^½/d). Left: estimation error; lines are theory, marks are "
        f"trained heads ({seeds} seeds), dashed is the predicted power law with its constant, "
        "which ends where all modes are recovered. Right: learned over true eigenvalue of the "
        "first modes at λ_c, from where the mode leaves the bulk. "
        "At few samples heads lie above the theory, whose scores are Gaussian: for this target "
        "they are not, and the difference is expected (theory.md section 14)."
    )
    settings = {
        "tokens": 1,
        "target": target.grammar(),
        "noise": _NOISE,
        "lam over lam_c": [times for times, _, _ in _TIMES],
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, target, path)

    return Picture("power-law", caption, settings, rows, draw)


def _theory(name: str, target: PowerLaw, n: float, times: float, work: Work) -> Row:
    lam = times * best_penalty(target, n, _NOISE)
    found = work.kept(level)(target, n, lam, _NOISE)
    return {
        "source": "theory",
        "curve": name,
        "n": float(n),
        "lam": lam,
        "mse": found.mse.value,
        "error": {"mse": found.mse.error},
    }


def _problem(target: PowerLaw, n: float, times: float) -> Problem:
    return Problem(
        alpha=f"{n / target.d**2:.8g}",
        target=target,
        channel=LinearChannel(noise=_NOISE),
        estimator=Factorised(lam=f"{times * best_penalty(target, n, _NOISE):.6g}"),
    )


def _heads(
    name: str, target: PowerLaw, n: float, times: float, seeds: int, work: Work
) -> list[Row]:
    problem = _problem(target, n, times)
    algorithm = "adam" if n < _MANY * target.d**2 else "staged"
    kept = heads(problem, target.d, seeds, work, f"{name}, n = {n:.0f}", algorithm)
    row = head_row(name, problem, kept, seeds)
    if row is None:
        return []
    row["n"] = float(kept[0].n)
    rows = [row]
    if times == 1.0:
        for mode in range(_MODES):
            shares = [run.eigenvalues[mode] / run.teacher_eigenvalues[mode] for run in kept]
            bars = {} if len(shares) < 2 else {"share": np.std(shares, ddof=1) / len(shares) ** 0.5}
            rows.append(
                {
                    "source": "heads",
                    "curve": f"mode {mode + 1}",
                    "n": row["n"],
                    "share": float(np.mean(shares)),
                    "error": {key: float(bar) for key, bar in bars.items()},
                }
            )
    return rows


def _eigenvalues(target: PowerLaw, n: float, work: Work) -> list[Row]:
    """Learned over true eigenvalue of the first modes; the edge of the bulk for one inside it."""
    found = work.kept(spectrum)(_problem(target, n, 1.0), rtol=1e-3)
    detached = {round(one.target, 9): one.location for one in found.outliers}
    edge = found.bulk_edge or max((band.upper for band in found.bands), default=0.0)
    true = [target.d**0.5 * mode ** -float(target.gamma) for mode in range(1, _MODES + 1)]
    return [
        {
            "source": "theory",
            "curve": f"mode {mode}",
            "n": float(n),
            "share": detached.get(round(s, 9), edge) / s,
            "detached": round(s, 9) in detached,
            "error": {},
        }
        for mode, s in enumerate(true, start=1)
    ]


def _draw(rows: list[Row], target: PowerLaw, path: Path) -> None:
    with sheet(9.2, 3.9, widths=(1.0, 1.0)) as (figure, (errors, modes)):
        _errors(errors, rows, target)
        _modes(modes, rows)
        for axes in (errors, modes):
            axes.set_xscale("log")
            axes.set_xlabel("n  (samples)")
        figure.suptitle(
            f"T = 1, γ = {_GAMMA}, d = {target.d}, Δ = {_NOISE}", x=0.01, ha="left", fontsize=10
        )
        save(figure, path)


def _errors(axes: Any, rows: list[Row], target: PowerLaw) -> None:
    for (times, name, colour), marker in zip(_TIMES, MARKS, strict=False):
        line(axes, rows, name, "mse", x="n", color=colour, label=name)
        marks(axes, rows, name, "mse", colour, marker, x="n")
        if times == 1.0:
            reach = np.geomspace(10 * target.d, max(row["n"] for row in rows), 20)
            law = [rate("IV", target, n, best_penalty(target, n, _NOISE), _NOISE) for n in reach]
            power = f"predicted at λ_c, $n^{{-{1 - 1 / (2 * float(_GAMMA)):.2g}}}$"
            axes.plot(reach, law, "--", color=MUTED, linewidth=1.3, label=power, zorder=4)
    explain_marks(axes, "trained heads")
    axes.set_yscale("log")
    axes.set_ylabel("estimation error ‖S − S₀‖²/d")
    axes.legend(fontsize=8, loc="lower left")


def _modes(axes: Any, rows: list[Row]) -> None:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colours = colormaps["viridis"](np.linspace(0, 0.85, _MODES))
    for mode in range(1, _MODES + 1):
        name, colour = f"mode {mode}", to_hex(colours[mode - 1])
        own = [row for row in rows if row["curve"] == name]
        # An eigenvalue of the bulk is nobody's: before its mode stands apart there is none to mark.
        apart = min((row["n"] for row in own if row.get("detached")), default=np.inf)
        beyond = [row for row in own if row["n"] >= apart]
        line(axes, beyond, name, "share", x="n", color=colour, label=name)
        marks(axes, beyond, name, "share", colour, x="n")
    axes.set_ylim(0, 1.03)
    axes.set_facecolor(SURFACE)
    axes.set_ylabel("learned over true eigenvalue, λ = λ_c")
    axes.legend(fontsize=8, loc="lower right")
