"""Factorised against direct training, each at its own best penalty."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config

from attlas.reports.figures.sheet import BLUE, GREEN, INK, MUTED, ORANGE, SURFACE, save, sheet
from attlas.reports.reproduce.lines import MARKS, line, logarithmic, marks
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row
from attlas.reports.reproduce.work import Work
from attlas.verify.simulation.rivals import TRAININGS, Race, race_at

_KAPPA0, _NOISE = ("0.1", "0.25", "0.5", "1"), "0.5"
_COLOURS = dict(zip(TRAININGS, (BLUE, ORANGE, GREEN), strict=True))
_FACTORISED = TRAININGS[0]
#: Most that an error can be of the factorised one in the lower panels.
_MOST = 2.0


def make(full: bool, work: Work) -> Picture:
    """The rivals at four ranks of the teacher (theory.md section 11).

    Parameters
    ----------
    full : bool
        d = 80, 6 seeds and heads at every alpha; otherwise d = 40, 2 seeds and heads at three.
    work : Work
    """
    d, seeds = (80, 6) if full else (40, 2)
    alphas = ("0.05", "0.07", "0.1", "0.15", "0.2", "0.3", "0.5", "0.7", "1", "2")
    alphas = alphas if full else ("0.05", "0.1", "0.2", "0.3", "0.5", "1")
    with_heads = alphas if full else ("0.1", "0.3", "1")
    places = list(product(_KAPPA0, TRAININGS, alphas))
    with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
        points: Iterable[Race] = Parallel(return_as="generator")(  # type: ignore[assignment]
            delayed(work.kept(race_at))(
                training, kappa0, _NOISE, alpha, d=d, seeds=seeds if alpha in with_heads else 0
            )
            for kappa0, training, alpha in places
        )
        rows: list[Row] = []
        for (kappa0, training, alpha), point in zip(places, points, strict=True):
            work.report(f"{training}, kappa0 = {kappa0}, alpha = {alpha}: {point.theory:.4g}")
            rows += _rows(point, kappa0, training, d, seeds)
    rows = _over_factorised(rows)
    caption = (
        "Test error of factorised and of direct training, each at the penalty that is best for "
        f"it: two tokens, Δ = {_NOISE}. Lines are theory; marks are trained heads (d = {d}, "
        f"{seeds} seeds), at the best of three penalties about that of theory. Below, the errors "
        "of direct training over that of factorised training: above 1 factorised training wins. "
        + _where(rows)
    )
    settings = {
        "tokens": 2,
        "kappa0": list(_KAPPA0),
        "noise": _NOISE,
        "lam": "the best of each training at each alpha",
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        _draw(rows, d, path)

    return Picture("factorised-vs-direct", caption, settings, rows, draw)


def _where(rows: list[Row]) -> str:
    """At which alpha of the grid factorised training has the least error in theory."""
    said = []
    for kappa0 in _KAPPA0:
        won = [
            row["alpha"]
            for row in rows
            if row["source"] == "theory"
            and (row["kappa0"], row["curve"]) == (float(kappa0), "direct-psd")
            and row["over_factorised"] > 1
        ]
        everywhere = len(won) == len({row["alpha"] for row in rows})
        where = "everywhere" if everywhere else f"from α = {min(won):g}" if won else "nowhere"
        said.append(f"{where} at κ₀ = {kappa0}")
    return f"In theory it has the least error {', '.join(said)}."


def _rows(point: Race, kappa0: str, training: str, d: int, seeds: int) -> list[Row]:
    shared = {"kappa0": float(kappa0), "curve": training, "alpha": point.alpha}
    rows: list[Row] = [
        {
            "source": "theory",
            **shared,
            "lam": point.lam,
            "test_error": point.theory,
            "floor": point.floor,
            "error": {"test_error": point.error},
        }
    ]
    if point.measured is not None:
        spread = {} if point.spread is None else {"test_error": point.spread}
        rows.append(
            {
                "source": "heads",
                **shared,
                "lam": point.measured_lam,
                "test_error": point.measured,
                "d": d,
                "runs": seeds,
                "error": spread,
            }
        )
    return rows


def _over_factorised(rows: list[Row]) -> list[Row]:
    """The rows with their error over that of factorised training from the same source."""
    keys = ("source", "kappa0", "alpha")
    own = {
        tuple(row[key] for key in keys): row["test_error"]
        for row in rows
        if row["curve"] == _FACTORISED
    }
    return [
        row | {"over_factorised": row["test_error"] / own[tuple(row[key] for key in keys)]}
        for row in rows
    ]


def _draw(rows: list[Row], d: int, path: Path) -> None:
    with sheet(11.0, 6.0, widths=(1.0,) * len(_KAPPA0), rows=2) as (figure, panels):
        errors, ratios = panels[: len(_KAPPA0)], panels[len(_KAPPA0) :]
        for upper, lower, kappa0 in zip(errors, ratios, _KAPPA0, strict=True):
            own = [row for row in rows if row["kappa0"] == float(kappa0)]
            _errors(upper, own)
            _ratios(lower, own)
            upper.set_title(f"κ₀ = {kappa0}", fontsize=10, loc="left")
            if upper is not errors[0]:
                upper.tick_params(labelleft=False)
                lower.tick_params(labelleft=False)
        errors[0].set_ylabel("test error (noisy labels)")
        ratios[0].set_ylabel("test error over that of factorised")
        _name_curves(errors[-1], d)
        _name_ratios(ratios[-1])
        figure.suptitle(
            f"T = 2, Δ = {_NOISE}, each training at its best penalty", x=0.01, ha="left",
            fontsize=10,
        )  # fmt: skip
        save(figure, path)


def _errors(axes: Any, rows: list[Row]) -> None:
    for (training, colour), marker in zip(_COLOURS.items(), MARKS, strict=False):
        line(axes, rows, training, "test_error", color=colour)
        marks(axes, rows, training, "test_error", colour, marker)
    line(axes, rows, _FACTORISED, "floor", color=MUTED, linestyle="--")
    logarithmic(axes.yaxis, (0.08, 0.1, 0.15, 0.2, 0.3, 0.4))
    axes.set_ylim(0.078, 0.62)
    _along_alpha(axes, rows)


def _ratios(axes: Any, rows: list[Row]) -> None:
    axes.axhspan(0, 1, color=MUTED, alpha=0.12, linewidth=0)
    axes.axhline(1, color=BLUE, linewidth=1.6)
    for (training, colour), marker in zip(_COLOURS.items(), MARKS, strict=False):
        if training == _FACTORISED:
            continue
        line(axes, rows, training, "over_factorised", color=colour)
        heads = [row for row in rows if (row["source"], row["curve"]) == ("heads", training)]
        axes.plot(
            [row["alpha"] for row in heads],
            [row["over_factorised"] for row in heads],
            marker,
            color=colour,
            markerfacecolor=SURFACE,
            markersize=5,
            zorder=3,
        )
    axes.set_ylim(0.7, _MOST)
    _along_alpha(axes, rows)
    axes.set_xlabel("α = n/d²")


def _along_alpha(axes: Any, rows: list[Row]) -> None:
    logarithmic(axes.xaxis, (0.05, 0.1, 0.2, 0.5, 1, 2))
    ends = min(row["alpha"] for row in rows), max(row["alpha"] for row in rows)
    axes.set_xlim(ends[0] / 1.1, ends[1] * 1.1)


def _name_curves(axes: Any, d: int) -> None:
    """The names in their colours, from the uppermost curve down, and what marks are."""
    named = [("direct", GREEN, MARKS[2]), ("direct, PSD", ORANGE, MARKS[1])]
    named = [*named, ("factorised", BLUE, MARKS[0]), ("Bayes-optimal", MUTED, "")]
    shared = {"transform": axes.transAxes, "va": "center"}
    for row, (name, colour, marker) in enumerate(named):
        height = 0.96 - 0.075 * row
        axes.text(0.5, height, name, color=colour, fontsize=9, **shared)
        axes.plot(
            [0.38, 0.46],
            [height] * 2,
            "--" if not marker else "-",
            color=colour,
            transform=axes.transAxes,
        )
        if marker:
            axes.plot(
                [0.42],
                [height],
                marker,
                color=colour,
                markerfacecolor=SURFACE,
                markersize=5,
                transform=axes.transAxes,
            )
    axes.text(0.03, 0.04, f"marks: trained heads, d = {d}", color=INK, fontsize=8, **shared)


def _name_ratios(axes: Any) -> None:
    axes.text(
        0.97, 0.03, "below 1: direct training wins", color=MUTED, fontsize=8, ha="right",
        transform=axes.transAxes,
    )  # fmt: skip
    axes.text(
        0.03, 0.97, "above 1: factorised training wins", color=BLUE, fontsize=8, va="top",
        transform=axes.transAxes,
    )  # fmt: skip
