"""Figures: units of deviations, points of one alpha, marks beside theory."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from attlas.reports import numbers
from attlas.reports.drift import Change, Drift
from attlas.reports.page import forest
from attlas.reports.page.extrapolation import extrapolation
from attlas.reports.page.learning_curve import learning_curve, smooth
from attlas.reports.page.svg import classed
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


def test_the_forest_draws_each_comparison_at_its_place(claim: ClaimResult) -> None:
    first, second = claim.verdicts[:2]
    right = replace(first, deviation=0.02, interval=(0.01, 0.03), low=-0.05, high=0.05)
    beyond = replace(second, deviation=-0.4, interval=(-0.5, 0.06), low=-0.1, high=0.1)
    unmeasured = replace(second, coefficients=())
    svg = forest.strip([right, unmeasured, beyond], 0.1)
    assert 'd="M-500 0H500v10H-500zM-1000 20H1000v10H-1000z"' in svg  # bands, none for the second
    assert 'd="M100 5H300M-1000 25H600"' in svg
    assert "M200 5h0" in svg
    assert "M-1000 25h0" in svg
    assert svg.count("h0") == 2 + svg.count("inner")
    assert forest.reach([right] * 19 + [beyond]) == pytest.approx(0.05)
    assert forest.reach([]) > 0


def test_curves_are_smooth_and_go_through_what_was_solved() -> None:
    alphas, values = np.array([0.1, 0.5, 1.0]), np.array([3.0, 1.0, 2.0])
    grid, drawn, bars = smooth(alphas, values, np.full(3, 0.1))
    assert len(grid) > 30
    np.testing.assert_allclose(drawn[np.isin(grid.round(12), alphas)], values)
    assert drawn.min() == pytest.approx(1.0)  # nothing below what was solved
    assert np.all(bars == pytest.approx(0.1))


def test_drawings_are_small_and_share_their_styles(claim: ClaimResult) -> None:
    quantity = claim.claim.quantities[0]
    svg = learning_curve(claim, quantity, "figure")
    drawn = re.findall(r"<(?:path|use|text)[^>]*>", svg)
    assert not [
        element for element in drawn if re.search(r"\d\.\d\d", element.partition("style")[0])
    ]
    assert ">0.5<" in svg  # text has all its digits
    one, other = (learning_curve(claim, quantity, name) for name in ("one", "other"))
    text, sheet = classed(one + other)
    assert 'style="' not in text
    used = set(re.findall(r'class="(s\d+)"', text))
    assert used == set(re.findall(r"^\.(s\d+){", sheet, flags=re.M))
    assert len(text) + len(sheet) < 0.75 * len(one + other)


def test_what_has_moved_is_drawn_in_units_of_what_is_allowed() -> None:
    still = Change("a", "p", "q", None, 1.0, 1.0, 0.1)
    back = Change("a", "p", "q", 16, 1.0, 0.95, 0.1)
    far = Change("a", "p", "q", 24, 1.0, 1.3, 0.1, flagged=True)
    found = Drift(("why",), (still,), (back, far), (), (), same_data=True)
    (entry,) = found.by_quantity
    assert entry.theory_moves == (0.0,)
    assert entry.simulation_moves == pytest.approx((-0.5, 3.0))
    svg = forest.moves([entry], 2.0)
    assert "M-250 15H1000" in svg  # the runs' line, cut at the end of the scale
    assert '<path class="square disagrees" d="M1000 15h0"/>' in svg
    assert '<path class="round agrees" d="M0 5h0"/>' in svg
