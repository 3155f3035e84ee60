"""Power laws in data, in time and in compute: one target, three axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attlas.model import Factorised, LinearChannel, PowerLaw, Problem
from attlas.reports.figures.sheet import BLUE, GREEN, INK, MUTED, ORANGE, save, sheet
from attlas.reports.reproduce.lines import MARKS, explain_marks, line, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row
from attlas.reports.reproduce.work import Work
from attlas.solver.dynamics import dynamics, power_law
from attlas.solver.scaling import level
from attlas.solver.scaling.predictions import best_penalty, rate
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.training.descent import overlaps_along
from attlas.verify.training.losses import Objective

_GAMMA, _NOISE, _START = "1.25", 0.1, 1e-4
#: Samples over d^2 of the heads that are trained in time.
_ALPHAS = ((0.3, BLUE), (2.0, ORANGE), (10.0, GREEN))
_END = 4.0
#: A step of descent over the time in which the first mode would overshoot.
_STEP = 0.25


def make(full: bool, work: Work) -> Picture:
    """Squared error along n, t and C = n t (theory.md sections 14 and 20), one token.

    Parameters
    ----------
    full : bool
        d = 80; otherwise d = 40.
    work : Work
    """
    d, seeds = (80, 2) if full else (40, 3)
    target = PowerLaw(_GAMMA, d)
    samples = np.geomspace(4 * d, 60 * d**2, 25)
    times = np.geomspace(0.02, _END, 40)
    rows: list[Row] = [_data(target, n, work) for n in samples]
    work.report("theory, data")
    flow = work.kept(_flow)(target, times)
    rows += flow
    work.report("theory, time")
    for alpha, _ in _ALPHAS:
        name, n = _name(alpha), alpha * d**2
        floor = _data(target, n, work)["mse"]
        rows += [
            {"source": "theory", "curve": name, "t": row["t"], "compute": n * row["t"],
             "mse": row["mse"] + floor, "error": {}}
            for row in flow
        ]  # fmt: skip
        paths = [work.kept(_path)(target, alpha, seed) for seed in range(seeds)]
        work.report(f"heads, {name}: {seeds} of {seeds} runs trained")
        rows += _heads(name, paths, times, n)
    exponent = 2 - 1 / float(_GAMMA)
    caption = (
        f"One power-law target (eigenvalues √d i^−γ, γ = {_GAMMA}, d = {d}; one token, "
        f"Δ = {_NOISE}) along data, time and compute. Left: the minimum at λ_c against n, with the "
        "law of phase IV. Middle: the population flow from a small start against t, with its law; "
        f"marks are gradient descent on {_ALPHAS[-1][0]:g} d² samples. Right: gradient descent at "
        f"several n ({seeds} heads, marks) against C = n t, beside the sum of the errors from too "
        "few samples and from too little time (lines), which is an assumption: heads lie below it, "
        "as descent that stops early does not shrink what it has learned, while a penalty does. "
        f"The dashed line has the slope of the best split, −{exponent / 3:.3g}; without a penalty "
        "descent overfits when it goes on, and marks turn up."
    )
    settings = {
        "tokens": 1,
        "target": target.grammar(),
        "noise": _NOISE,
        "sigma0": _START,
        "n over d^2": [alpha for alpha, _ in _ALPHAS],
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, target, path)

    return Picture("data-time-compute", caption, settings, rows, draw)


def _name(alpha: float) -> str:
    return f"n = {alpha:g} d²"


def _data(target: PowerLaw, n: float, work: Work) -> Row:
    found = work.kept(level)(target, float(n), best_penalty(target, n, _NOISE), _NOISE)
    error = {"mse": found.mse.error}
    return {
        "source": "theory", "curve": "data", "n": float(n), "mse": found.mse.value, "error": error
    }  # fmt: skip


def _problem(target: PowerLaw, alpha: float) -> Problem:
    return Problem(
        alpha=str(alpha),
        target=target,
        channel=LinearChannel(noise=_NOISE),
        estimator=Factorised(lam=0),
    )


def _flow(target: PowerLaw, times: np.ndarray) -> list[Row]:
    found = dynamics(_problem(target, 1.0), [f"{t:.6g}" for t in times], sigma0=_START)
    return [
        {"source": "theory", "curve": "time", "t": float(t), "mse": float(mse), "error": {}}
        for t, mse in zip(found.t, found.mse, strict=True)
    ]


def _step(target: PowerLaw) -> float:
    """Of descent: x -> x (1 - 2 step e_q x)^2 with e_q = 2 rests at the largest eigenvalue."""
    return _STEP / (4 * target.eigenvalues[0])


def _path(target: PowerLaw, alpha: float, seed: int) -> np.ndarray:
    """The squared error of one head before and after every step."""
    d, problem = target.d, _problem(target, alpha)
    teacher = draw_teacher(target, d, seed)
    data = draw_data(problem, teacher, problem.samples(d), seed)
    objective = Objective.build(problem, data, lam=0.0)
    step = _step(target)
    q, m = overlaps_along((objective,), _START, teacher.s0, step, round(_END / step)).T
    return q - 2 * m + float(np.sum(teacher.eigenvalues**2)) / d


def _heads(name: str, paths: Sequence[np.ndarray], times: np.ndarray, n: float) -> list[Row]:
    step = _END / (len(paths[0]) - 1)
    found = []
    for t in times[::3]:
        values = [float(path[round(t / step)]) for path in paths]
        found.append(
            {
                "source": "heads",
                "curve": name,
                "t": float(t),
                "compute": n * float(t),
                "mse": float(np.mean(values)),
                "error": {"mse": float(np.std(values, ddof=1)) / len(values) ** 0.5},
            }
        )
    return found


def _draw(rows: list[Row], target: PowerLaw, path: Path) -> None:
    with sheet(11.4, 3.9, widths=(1.0, 1.0, 1.15)) as (figure, (data, time, compute)):
        exponent = 2 - 1 / float(_GAMMA)
        line(data, rows, "data", "mse", x="n", color=INK, label="state evolution, λ = λ_c")
        reach = np.array([10 * target.d, 0.5 * target.d**2])
        law = [rate("IV", target, n, best_penalty(target, n, _NOISE), _NOISE) for n in reach]
        data.plot(reach, law, "--", color=MUTED, label=f"$n^{{-{exponent / 2:.2g}}}$, phase IV")
        line(time, rows, "time", "mse", x="t", color=INK, label="population flow")
        marks(time, rows, _name(_ALPHAS[-1][0]), "mse", _ALPHAS[-1][1], MARKS[2], x="t")
        late = np.geomspace(0.1, _END, 20)
        law = [power_law(target, t, _START) for t in late]
        time.plot(late, law, "--", color=MUTED, label=f"its law, $\\approx t^{{-{exponent:.2g}}}$")
        for (alpha, colour), marker in zip(_ALPHAS, MARKS, strict=False):
            name = _name(alpha)
            line(compute, rows, name, "mse", x="compute", color=colour, label=name)
            marks(compute, rows, name, "mse", colour, marker, x="compute")
        _best_split(compute, rows, exponent)
        explain_marks(compute, "gradient descent")
        for axes, name in (
            (data, "n  (samples)"), (time, "t  (training time)"), (compute, "C = n t  (compute)"),
        ):  # fmt: skip
            axes.set(xscale="log", yscale="log", xlabel=name)
            axes.legend(fontsize=8, loc="lower left")
        data.set_ylabel("squared error ‖S − S₀‖²/d")
        title = f"T = 1, γ = {_GAMMA}, d = {target.d}, Δ = {_NOISE}, S = {_START:g} I at t = 0"
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        save(figure, path)


def _best_split(axes: Any, rows: list[Row], exponent: float) -> None:
    """A line of the slope -(2/3)(1 - 1/(2 gamma)) that touches the sums from below."""
    sums = [row for row in rows if row["source"] == "theory" and "compute" in row]
    c = np.array([row["compute"] for row in sums])
    height = np.min([row["mse"] for row in sums] * c ** (exponent / 3))
    ends = np.array([c.min() * 10, c.max()])
    label = f"best split, $C^{{-{exponent / 3:.2g}}}$"
    axes.plot(ends, height * ends ** (-exponent / 3), "--", color=MUTED, label=label)
