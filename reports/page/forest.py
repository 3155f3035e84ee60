"""Deviations with their intervals and bands, a line each: the forest plot, and bars in tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attlas.reports.drift import QuantityDrift
from attlas.reports.trends import Trend
from attlas.verify.judgement import State, Verdict

#: Half the width of a strip and the height of a line, in its own units, which are stretched.
_HALF, _LINE = 1000, 10
#: Pixels of a line where there is one, and where there are many.
_TALL, _LOW = 14.0, 5.0
#: Pixels that a claim's lines fill together before they get as low as that.
_ROOM = 200.0
#: Share of the intervals that fit between the ends of the scale.
_SHOWN = 0.9

#: How each state is marked: shape, then whether it is hollow. Colours are the style sheet's.
MARKS: dict[State, tuple[str, bool]] = {
    State.AGREES: ("round", False),
    State.WIDER: ("round", True),
    State.OPEN: ("round", True),
    State.EXPECTED: ("square", False),
    State.TENSION: ("square", True),
    State.DISAGREES: ("square", False),
}


def measured(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Those with an extrapolated deviation."""
    return [one for one in verdicts if one.coefficients and math.isfinite(one.deviation)]


def reach(verdicts: Iterable[Verdict]) -> float:
    """Where the scale ends: 1, 2 or 5 times a power of ten that most intervals lie within."""
    ends = [max(map(abs, one.interval)) for one in measured(verdicts)]
    wanted = float(np.quantile([end for end in ends if math.isfinite(end)] or [0.0], _SHOWN))
    if wanted <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= wanted)


def strip(verdicts: Sequence[Verdict], end: float, room: float = _ROOM) -> str:
    """A line for each comparison, as an ``<svg>`` that stretches to the width of its place.

    Parameters
    ----------
    verdicts : sequence of Verdict
        From the top; one that was not measured leaves its line empty.
    end : float
        Deviation at either end; what lies further out is drawn there.
    room : float
        Pixels that these lines fill together before they get low.
    """
    rows = [
        Line(one.state, one.deviation, one.interval, (one.low, one.high))
        if measured([one])
        else None
        for one in verdicts
    ]
    return drawn(rows, end, room)


def moves(changes: Sequence[QuantityDrift], end: float) -> str:
    """What has moved since a baseline, in units of what is allowed: theory, then runs.

    A line for each quantity and kind, from the least move to the largest, and a mark at the worst.
    """
    rows = []
    for change in changes:
        for moved in (change.theory_moves, change.simulation_moves):
            if not moved:
                continue
            worst = max(moved, key=abs)
            state = State.DISAGREES if change.flagged and abs(worst) > 1 else State.AGREES
            rows.append(Line(state, worst, (min(moved), max(moved)), (-1.0, 1.0)))
    return drawn(rows, end)


def through(found: Sequence[Trend], end: float) -> str:
    """Comparisons through time: a line for each version, the oldest above, the latest full."""
    rows: list[Line | None] = []
    for trend in found:
        *before, last = trend.through
        rows += [Line(State.WIDER, one.deviation, one.interval, (0, 0)) for one in before]
        rows += [Line(State.EXPECTED, last.deviation, last.interval, (0, 0)), None]
    return drawn(rows[:-1], end)


@dataclass(frozen=True)
class Line:
    """A mark with its interval, and the band behind it."""

    state: State
    at: float
    interval: tuple[float, float]
    band: tuple[float, float]


def drawn(rows: Sequence[Line | None], end: float, room: float = _ROOM) -> str:
    """Lines from the top; None leaves one empty."""
    height = len(rows) * min(_TALL, max(_LOW, room / max(len(rows), 1)))

    def x(value: float) -> int:
        return round(_HALF * min(max(value / end, -1), 1))

    bands, intervals = [], []
    dots: dict[State, list[str]] = {}
    for place, row in enumerate(rows):
        if row is None:
            continue
        top, middle = _LINE * place, _LINE * place + _LINE // 2
        left, right = map(x, row.band)
        bands.append(f"M{left} {top}H{right}v{_LINE}H{left}z")
        intervals.append(f"M{x(row.interval[0])} {middle}H{x(row.interval[1])}")
        dots.setdefault(row.state, []).append(f"M{x(row.at)} {middle}h0")
    marks = "".join(mark(state, "".join(places)) for state, places in dots.items())
    return (
        '<svg class="forest" aria-hidden="true" preserveAspectRatio="none" '
        f'style="height:{height:g}px" viewBox="{-_HALF} 0 {2 * _HALF} {_LINE * len(rows)}">'
        f'<path class="band" d="{"".join(bands)}"/>'
        f'<path class="zero" d="M0 0V{_LINE * len(rows)}"/>'
        f'<path class="interval" d="{"".join(intervals)}"/>{marks}</svg>'
    )


def mark(state: State, places: str = "M0 5h0") -> str:
    """The marks of a state at some places; a hollow one is a smaller one in the page's colour."""
    shape, hollow = MARKS.get(state, ("round", True))
    inner = f'<path class="{shape} inner" d="{places}"/>' if hollow else ""
    return f'<path class="{shape} {state.value}" d="{places}"/>{inner}'


def legend_mark(state: State) -> str:
    """One mark, beside its name in a legend."""
    return (
        '<svg class="forest mark" aria-hidden="true" viewBox="-8 0 16 10">'
        f'<path class="interval" d="M-8 5H8"/>{mark(state)}</svg>'
    )
