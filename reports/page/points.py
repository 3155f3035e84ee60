"""How the points of a claim look and what is said of them, the same in each of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attlas.reports.naming import letter
from attlas.reports.page.palette import MARKERS, line, series
from attlas.verify.claims import Quantity
from attlas.verify.judgement import Verdict
from attlas.verify.suite.result import ClaimResult


@dataclass(frozen=True)
class PointStyle:
    """How a point looks in every figure of its claim."""

    letter: str
    colour: str
    line: Any
    marker: str


def point_styles(result: ClaimResult) -> dict[str, PointStyle]:
    """Colour and line by curve, marker by place on it."""
    letters = {point.point.key: letter(i) for i, point in enumerate(result.points)}
    return {
        key: PointStyle(letters[key], series(index), line(index), MARKERS[place % len(MARKERS)])
        for index, curve in enumerate(result.curves)
        for place, key in enumerate(curve.points)
    }


def verdicts_of(result: ClaimResult, quantity: str) -> list[Verdict]:
    """The verdicts on a quantity."""
    return [verdict for verdict in result.verdicts if verdict.quantity == quantity]


def spoken(result: ClaimResult, quantity: Quantity) -> str:
    """The figure's content in words."""
    return " ".join(
        f"Point {verdict.point}: deviation {100 * verdict.deviation:+.2f} percent, "
        f"{verdict.outcome.value}."
        for verdict in verdicts_of(result, quantity.key)
        if verdict.coefficients
    )
