"""A deviation's interval drawn beside its band, small enough for a table cell."""

from __future__ import annotations

import math

from attlas.verify.judgement import Verdict

_WIDTH, _HEIGHT, _REACH = 132.0, 18.0, 3.0
#: Room for a mark at either end; what lies further out is drawn there.
_EDGE = 4.0


def interval_bar(verdict: Verdict) -> str:
    """The interval in units of the margin; the table's other cells say the same in numbers."""
    unit = max(abs(verdict.low), abs(verdict.high))
    if not math.isfinite(verdict.deviation) or unit == 0:
        return ""

    def x(value: float) -> float:
        clipped = min(max(value / unit, -_REACH), _REACH)
        return _EDGE + (_WIDTH - 2 * _EDGE) * (clipped + _REACH) / (2 * _REACH)

    low, high = verdict.interval
    middle = _HEIGHT / 2
    left, right = x(verdict.low), x(verdict.high)
    return (
        f'<svg class="bar" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" aria-hidden="true">'
        f'<rect class="band" x="{left:.1f}" y="0" width="{right - left:.1f}" height="{_HEIGHT:g}"/>'
        f'<line class="zero" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{_HEIGHT:g}"/>'
        f'<line class="interval" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="estimate" cx="{x(verdict.deviation):.1f}" cy="{middle}" r="3.5"/></svg>'
    )
