"""The plane of samples and teacher rank: phases, and the test error of trained heads on it."""

from __future__ import annotations

from pathlib import Path

from attlas.model import problem_from
from attlas.reports.reproduce.picture import Picture
from attlas.reports.reproduce.rows import Row, head_rows
from attlas.reports.reproduce.work import Work
from attlas.solver.phase import phase

_LAM, _KEY = "0.03", "test_error"
_BOUNDARIES = ("interpolation", "perfect-recovery", "bayes")
#: A boundary whose points are solves of their own, hundreds of them.
_SLOW = ("bulk-split",)


def make(full: bool, work: Work) -> Picture:
    """Boundaries over a map of the test error, without noise (theory.md sections 7 to 10).

    Parameters
    ----------
    full : bool
        A fine map, the split of the bulk, and heads at d = 80; otherwise a coarse map and d = 30.
    work : Work
    """
    d, seeds, columns, lines = (80, 4, 32, 24) if full else (30, 2, 16, 10)
    x, y = f"0.003:0.5:{columns}:log", f"0.05:1.2:{lines}"
    base = problem_from(alpha="0.1", kappa0="0.5", lam=_LAM)
    diagram = phase(
        base,
        "alpha,kappa0",
        x=x,
        y=y,
        boundaries=_BOUNDARIES + (_SLOW if full else ()),
        map_key=_KEY,
        tolerance=0.005,
        progress=lambda done, total: work.report(f"theory: {done} of {total}"),
    )
    heads: list[Row] = []
    for kappa0 in ("0.2", "0.6", "1"):
        problems = [
            problem_from(alpha=alpha, kappa0=kappa0, lam=_LAM)
            for alpha in ("0.01", "0.03", "0.07", "0.15", "0.35")
        ]
        for row in head_rows(f"kappa0 = {kappa0}", problems, d, seeds, work):
            heads.append({**row, "kappa0": float(kappa0)})
    theory = diagram.rows()
    rows = [{**row, "boundary": row["source"], "source": "theory"} for row in theory]
    caption = (
        "Phases of a trained head in the plane of samples and teacher rank: two tokens, no noise. "
        "Interpolation, perfect recovery and Bayes-optimal recovery are of the limit λ → 0⁺. "
        f"{'The split of the bulk and the' if full else 'The'} colour, the test error, "
        f"{'are' if full else 'is'} at λ = {_LAM}. "
        f"Circles are trained heads (d = {d}, {seeds} seeds) on the same scale of colour."
    )
    settings = {
        "tokens": 2,
        "noise": "0",
        "lam": _LAM,
        "x": x,
        "y": y,
        "absent": diagram.absent,
        "d": d,
        "seeds": seeds,
    }

    def draw(path: Path) -> None:
        points = [(row["alpha"], row["kappa0"], row[_KEY]) for row in heads]
        diagram.plot(path, heads=points)

    return Picture("phase-diagram", caption, settings, [*rows, *heads], draw)
