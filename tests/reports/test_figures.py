"""Figures: units of deviations, points of one alpha, marks beside theory."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from attlas.reports import numbers
from attlas.reports.page.extrapolation import extrapolation
from attlas.reports.page.learning_curve import learning_curve
from attlas.verify.suite.result import ClaimResult, SuiteResult


@pytest.fixture
def claim(result: SuiteResult) -> ClaimResult:
    return result.claims[0]


def scaled(claim: ClaimResult, factor: float) -> ClaimResult:
    """The claim with all deviations of its runs scaled."""
    points = tuple(
        replace(
            point,
            rows=tuple(
                replace(
                    row,
                    measured={
                        key: row.theory[key] + factor * (value - row.theory[key])
                        for key, value in row.measured.items()
                    },
                )
                for row in point.rows
            ),
        )
        for point in claim.points
    )
    verdicts = tuple(
        replace(
            verdict,
            low=factor * verdict.low,
            high=factor * verdict.high,
            interval=(factor * verdict.interval[0], factor * verdict.interval[1]),
            coefficients=tuple(factor * c for c in verdict.coefficients),
        )
        for verdict in claim.verdicts
    )
    return replace(claim, points=points, verdicts=verdicts)


@pytest.mark.parametrize(
    ("factor", "unit"), [(1.0, "deviation, %"), (1e-5, "10⁻⁹"), (1e-8, "10⁻¹²"), (1e-13, "10⁻¹⁵")]
)
def test_small_deviations_have_units_of_their_own(
    claim: ClaimResult, factor: float, unit: str
) -> None:
    (quantity, *_) = claim.claim.quantities
    svg = extrapolation(scaled(claim, factor), quantity, "figure")
    assert unit in svg
    assert not re.search(r">1e[-−]\d", svg)


def test_points_of_one_alpha_stand_beside_each_other(claim: ClaimResult) -> None:
    """Drawn on top of each other they could not be told apart."""
    first, second = claim.points
    same = replace(second, point=replace(second.point, problem=first.point.problem))
    (curve, *_) = claim.curves
    alone = replace(
        curve,
        points=(first.point.key, second.point.key),
        alphas=(float(first.point.problem.alpha),),
        values=curve.values[:1],
        errors=curve.errors[:1],
    )
    together = replace(claim, points=(first, same), curves=(alone,))
    svg = learning_curve(together, claim.claim.quantities[0], "figure")
    letters = re.findall(r"<text[^>]*transform=\"translate\(([\d.]+)[^>]*>([AB])<", svg)
    letters += re.findall(r"<text[^>]*x=\"([\d.]+)\"[^>]*>([AB])<", svg)
    found = {letter: float(x) for x, letter in letters}
    assert set(found) == {"A", "B"}
    assert found["B"] > found["A"] + 5


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0 %"),
        (1e-9, "+1.0·10⁻⁷ %"),
        (-3.4e-16, "−3.4·10⁻¹⁴ %"),
        (-0.000734, "−0.073 %"),
        (0.1234, "+12.34 %"),
        (float("nan"), "–"),
        (None, "–"),
    ],
)
def test_percentages(number: float | None, text: str) -> None:
    assert numbers.percent(number).replace("\u00a0", " ") == text
