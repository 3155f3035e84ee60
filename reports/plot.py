"""Pictures by one call: theory as lines with bands, trained heads as marks with bars.

Each takes ``ax``, axes to draw on, and returns the axes, so that a picture can be changed and put
beside others. Lines differ in luminance and in dashes, and can be told apart in grey.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.model import PARAMETERS, BadInput
from attlas.model.errors import unknown_name
from attlas.reports.figures.phase_diagram import phase_figure
from attlas.reports.figures.sheet import INK, MUTED, ORANGE, SURFACE, sheet
from attlas.reports.figures.spectrum import spectrum_figure
from attlas.reports.figures.ticks import plain_log_ticks
from attlas.reports.naming import SYMBOLS
from attlas.solver.best_lambda import BestLambdaResult, penalty_scale
from attlas.solver.learned_spectrum.spectrum import spectrum_of
from attlas.solver.solution import OBSERVABLE_KEYS, Solution
from attlas.solver.solve import solve
from attlas.solver.sweep import sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from attlas.solver.learned_spectrum import Spectrum
    from attlas.solver.phase import PhaseDiagram
    from attlas.verify.simulation.result import Run, Simulation

#: Colour, line and mark of each curve: from dark to light.
STYLES: tuple[tuple[str, Any, str], ...] = (
    ("#0d2240", "-", "o"),
    ("#c4530f", (0, (5, 2)), "s"),
    ("#5a2a6e", (0, (1, 1.2)), "D"),
    ("#1f9a86", (0, (5, 1.5, 1, 1.5)), "^"),
    ("#0b6aa8", (0, (3, 1)), "v"),
    ("#7d4a12", "-.", "P"),
)
#: What stands on an axis of a result key, where its name alone says too little.
LABELS = {
    "test_error": "test error per sample, noisy labels",
    "test_error_clean": "test error per sample, clean labels",
    "train_error": "training error per sample",
    "loss": "loss per squared dimension, L/d²",
    "mse": "estimation error ‖S − S₀‖²/d",
    "q": "q = Tr S²/d",
    "m": "m = Tr S S₀/d",
    "rank_fraction": "rank of S over d",
}
#: Penalties of a curve about the best one, and how far they reach on either side, as a factor.
_PENALTIES, _REACH = 13, 30.0
#: Relative accuracy of that curve, which a line shows.
_RTOL = 1e-4
ALPHA = "α = n/d²  (samples per squared dimension)"


def learning_curve(
    table: Any,
    runs: Any = (),
    *,
    key: str = "test_error",
    x: str = "alpha",
    ax: Axes | None = None,
) -> Axes:
    """A result key along a parameter: theory as lines, trained heads as marks.

    Parameters
    ----------
    table : pyarrow.Table, DataFrame, or results
        Theory: what :func:`attlas.sweep` returns, or solutions. Rows that differ in another
        parameter than ``x`` are curves of their own.
    runs : the same, or simulations
        Trained heads; a mark takes the colour of the curve of its parameters.
    key : str
        A result key.
    x : str
        The parameter along the axis.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    BadInput
        For a key or parameter that there is not, or a table without a row that holds it.
    """
    if key not in OBSERVABLE_KEYS:
        raise unknown_name("key", key, OBSERVABLE_KEYS)
    numeric = [one.name for one in PARAMETERS if one.kind in ("number", "whole")]
    if x not in numeric:
        raise unknown_name("x", x, numeric)
    theory = [row for row in _rows(table) if row.get(key) is not None and row.get(x) is not None]
    if not theory:
        raise BadInput("table", f"{len(_rows(table))} rows", f"none holds both {x} and {key}")
    heads = [row for row in _rows(runs) if row.get(key) is not None]
    varied = [
        one.name
        for one in PARAMETERS
        if one.name != x and len({str(row.get(one.name)) for row in (*theory, *heads)}) > 1
    ]

    def curve(row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row.get(name) for name in varied)

    axes = _axes(ax)
    for index, own in enumerate(dict.fromkeys(curve(row) for row in (*theory, *heads))):
        colour, line, marker = STYLES[index % len(STYLES)]
        name = ", ".join(
            f"{SYMBOLS.get(k, k)} = {v:g}" if isinstance(v, float) else f"{SYMBOLS.get(k, k)} = {v}"
            for k, v in zip(varied, own, strict=True)
            if v is not None
        )
        at, values, bars = _columns([row for row in theory if curve(row) == own], x, key)
        axes.plot(at, values, color=colour, linestyle=line, label=name or "theory")
        axes.fill_between(at, values - bars, values + bars, color=colour, alpha=0.25, linewidth=0)
        at, values, bars = _columns([row for row in heads if curve(row) == own], x, key)
        if at.size:
            _heads(axes, at, values, bars, colour, marker)
    if heads:
        _heads(axes, [], [], None, INK, "o", label="trained heads, mean ± standard error")
    spread = [row[x] for row in theory]
    if min(spread) > 0 and max(spread) > 8 * min(spread):
        axes.set_xscale("log")
        plain_log_ticks(axes.xaxis, spread, (1, 2, 5))
    axes.set_xlabel(ALPHA if x == "alpha" else SYMBOLS.get(x, x))
    axes.set_ylabel(LABELS.get(key, key))
    axes.legend(fontsize=9)
    return axes


def phase(diagram: PhaseDiagram, heads: Sequence[tuple[float, float, float]] = ()) -> Axes:
    """The plane of a phase diagram: boundaries, regions, and a map where one was asked for.

    Parameters
    ----------
    diagram : PhaseDiagram
    heads : sequence of (x, y, value)
        Trained heads, on the map's scale of colour.
    """
    return phase_figure(diagram, heads).axes[0]


def spectrum(found: Spectrum | Solution, runs: Simulation | Sequence[Run] = ()) -> Axes:
    """The law of the trained map's eigenvalues, and those of trained heads over it.

    The share of zeros has axes of its own, at the left in the same figure.

    Parameters
    ----------
    found : Spectrum or Solution
    runs : Simulation or sequence of Run
        Of the same problem.
    """
    law = spectrum_of(found) if isinstance(found, Solution) else found
    heads: Any = getattr(runs, "runs", runs)
    return spectrum_figure(law, heads).axes[1]


def compare(
    theory: Solution,
    runs: Simulation,
    *,
    keys: Sequence[str] = ("loss", "train_error", "test_error", "q", "m", "mse"),
    ax: Axes | None = None,
) -> Axes:
    """How far trained heads are from theory, key by key, in percent.

    Two marks a key: full, against the theory of the limit; hollow, against the theory at each
    run's own teacher, where the runs hold it: the teacher's scatter is no part of that one.
    Bars are standard errors over seeds, the grey bands the error bars of theory. At finite d a
    distance that falls as 1/d remains.

    Parameters
    ----------
    theory : Solution
    runs : Simulation
        Of the same problem.
    keys : sequence of str
        Those that one of them lacks, or that are zero, are left out.
    ax : matplotlib Axes, optional

    Raises
    ------
    BadInput
        If there is no key that both hold.
    """
    held = {**theory.present()}
    shown = [key for key in keys if held.get(key) and runs.mean.present().get(key) is not None]
    if not shown:
        raise BadInput("keys", ", ".join(keys), "theory and runs share none of these")
    axes = _axes(ax)
    for place, key in enumerate(shown):
        value, bar = held[key], theory.error.present().get(key, 0.0)
        edge = 100 * bar / abs(value)
        axes.fill_betweenx([place - 0.4, place + 0.4], -edge, edge, color=MUTED, alpha=0.3)
        spread = runs.error.present().get(key)
        off = 100 * (runs.mean.present()[key] / value - 1)
        _aside(axes, off, None if spread is None else 100 * spread / abs(value), place - 0.12, True)
        own = [
            100 * (getattr(run.observables, key) / getattr(run.theory, key) - 1)
            for run in runs.runs
            if run.theory is not None and getattr(run.theory, key, None)
        ]
        if own:
            error = np.std(own, ddof=1) / np.sqrt(len(own)) if len(own) > 1 else None
            _aside(axes, float(np.mean(own)), error, place + 0.12, False)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(shown)), shown)
    axes.invert_yaxis()
    sizes = ", ".join(str(d) for d in sorted({run.d for run in runs.runs}))
    axes.set_xlabel(f"trained heads over theory − 1, %  ({len(runs.runs)} at d = {sizes})")
    axes.errorbar([], [], fmt="o", color=INK, label="against the limit")
    if any(run.theory is not None for run in runs.runs):
        axes.errorbar(
            [], [], fmt="o", color=INK, markerfacecolor=SURFACE, label="paired with its teacher"
        )
    axes.legend(fontsize=9)
    return axes


def simulation_figure(runs: Simulation) -> Figure:
    """Trained heads beside the theory of their problem, which is solved for it: :func:`compare`."""
    return compare(solve(runs.problem), runs).get_figure(root=True)  # type: ignore[return-value]


def best_lambda_figure(found: BestLambdaResult) -> Figure:
    """Test error against the penalty, about the best one; the curve is solved for here."""
    best = found.values.lam
    middle = best or penalty_scale(found.problem) / _REACH
    grid = middle * np.geomspace(1 / _REACH, _REACH, _PENALTIES)
    table = sweep(found.problem, lam=grid.tolist(), workers=1, rtol=_RTOL)
    axes = learning_curve(table, x="lam")
    if best:
        axes.axvline(best, color=ORANGE, linewidth=1, label="best λ")
    axes.axhline(found.solution.test_error, color=MUTED, linewidth=0.8, linestyle=":")
    axes.set_xscale("log")
    axes.legend(fontsize=9)
    return axes.get_figure(root=True)  # type: ignore[return-value]


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    with sheet(6.2, 4.2) as (_, (axes,)):
        return axes


def _rows(table: Any) -> list[dict[str, Any]]:
    """Rows by parameter, key and ``error_KEY``: of a table, or of results."""
    if hasattr(table, "to_pylist"):
        return table.to_pylist()
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        return table.to_dict("records")
    results: Iterable[Any] = [table] if hasattr(table, "to_dict") else table
    return [one if isinstance(one, dict) else one.to_dict() for one in results]


def _columns(
    rows: Sequence[dict[str, Any]], x: str, key: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, values and bars, in increasing x."""
    ordered = sorted(rows, key=lambda row: row[x])
    bars = [row.get(f"error_{key}") or 0.0 for row in ordered]
    columns = ([row[x] for row in ordered], [row[key] for row in ordered], bars)
    at, values, errors = (np.array(column, dtype=float) for column in columns)
    return at, values, errors


def _heads(
    axes: Axes, at: Any, values: Any, bars: Any, colour: str, marker: str, label: str | None = None
) -> None:
    axes.errorbar(
        at,
        values,
        bars,
        fmt=marker,
        color=colour,
        markerfacecolor=SURFACE,
        markersize=5,
        elinewidth=1,
        capsize=2,
        zorder=3,
        label=label,
    )


def _aside(axes: Axes, off: float, bar: float | None, place: float, full: bool) -> None:
    axes.errorbar(
        [off],
        [place],
        xerr=None if bar is None else [bar],
        fmt="o",
        color=INK,
        markerfacecolor=INK if full else SURFACE,
        capsize=2,
    )
