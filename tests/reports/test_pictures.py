"""Pictures of particular claims: the rivals' learning curves, the predicted spectra."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attlas.reports.naming import distinguished
from attlas.reports.page.pictures import gallery
from attlas.reports.page.rivals_figure import StoredRun, learning_curves
from attlas.reports.page.rivals_panel import families, rows
from attlas.solver.solution import Observables, Solution, SolveError
from attlas.verify.claims import CLAIMS, Claim
from attlas.verify.claims.direct_training import DIRECT_TRAINING
from attlas.verify.claims.learning_curve import LEARNING_CURVE
from attlas.verify.claims.spectrum import SPECTRUM
from attlas.verify.judgement import Outcome, Verdict
from attlas.verify.simulation.rivals import Race, Rivals
from attlas.verify.suite.result import ClaimResult, PointResult, SuiteResult


def judged(claim: Claim, quantity: str, deviation: float, points: int) -> ClaimResult:
    """A claim with one verdict a point."""
    verdicts = tuple(
        Verdict(
            claim.id,
            point.key,
            quantity,
            Outcome.AGREES,
            "",
            -0.05,
            0.05,
            deviation=deviation,
            interval=(deviation - 0.01, deviation + 0.01),
            coefficients=(deviation, 1.0),
        )
        for point in claim.points[:points]
    )
    found = tuple(
        PointResult(point, Observables(test_error=0.2), Observables(test_error=1e-9), (), ())
        for point in claim.points[:points]
    )
    return ClaimResult(claim, found, verdicts, (), ())


@pytest.fixture
def suite(result: SuiteResult) -> SuiteResult:
    claims = (
        judged(DIRECT_TRAINING, "test_error", 0.1, 4),
        judged(LEARNING_CURVE, "test_error", -0.1, 5),
    )
    return replace(result, claims=claims)


def test_a_family_holds_the_runs_of_all_its_trainings(suite: SuiteResult) -> None:
    (family,) = families(suite, suite.claims[0])
    assert {(run.training, run.alpha, run.lam) for run in family.runs} == {
        ("direct", 0.3, "0.1"),
        ("direct-psd", 0.3, "0.1"),
        ("factorised", 0.5, "0.05"),
    }
    direct = next(run for run in family.runs if run.training == "direct")
    assert (direct.measured, direct.low, direct.high) == pytest.approx((0.22, 0.218, 0.222))


def test_a_theory_that_fails_costs_the_figure_only(
    suite: SuiteResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> Rivals:
        raise SolveError(Solution(problem=DIRECT_TRAINING.points[0].problem))

    monkeypatch.setattr("attlas.reports.page.rivals_panel.Family.rivals", fail)
    pictures = gallery(suite, suite.claims[0])
    assert pictures is not None
    assert not pictures.figures
    assert "could not be solved" in pictures.text


@pytest.fixture
def rivals() -> Rivals:
    def curve(*errors: float) -> tuple[Race, ...]:
        return tuple(
            Race(alpha, 0.1, error, 1e-3, 0.1)
            for alpha, error in zip((0.1, 0.5), errors, strict=True)
        )

    curves = {
        "factorised": curve(0.3, 0.12),
        "direct-psd": curve(0.2, 0.15),
        "direct": curve(0.4, 0.2),
    }
    return Rivals(0.5, 0.5, 0, 0, curves)


def test_stored_runs_are_drawn_and_said(rivals: Rivals) -> None:
    run = StoredRun("direct", 0.3, "0.02", theory=0.25, measured=0.26, low=0.25, high=0.27)
    bare, full = learning_curves(rivals, "a"), learning_curves(rivals, "a", [run])
    assert "λ = 0.02" in full
    assert "λ = 0.02" not in bare
    assert "direct at alpha 0.3 and lambda 0.02: 0.26, predicted 0.25" in full
    assert "direct, PSD at alpha 0.1; factorised at alpha 0.5" in bare


def test_the_table_names_the_least(rivals: Rivals) -> None:
    first, second = rows(rivals)
    assert first == [
        "0.1",
        "0.3 at λ = 0.1",
        "0.2 at λ = 0.1 (least)",
        "0.4 at λ = 0.1",
        "0.1",
        "50 %",
    ]
    assert second[1] == "0.12 at λ = 0.1 (least)"


def test_the_law_of_a_point_is_drawn_with_its_runs(result: SuiteResult) -> None:
    claim = judged(SPECTRUM, "top", -0.02, 3)
    claim = replace(claim, points=claim.points[2:])
    pictures = gallery(result, claim)
    assert pictures is not None
    ((svg, caption),) = pictures.figures
    for word in ("bulk", "band of the signal", "% zeros", "largest eigenvalue", 'role="img"'):
        assert word in svg
    assert "largest eigenvalue 4.275, predicted 4.363" in svg
    assert caption.startswith("η = ")


def test_other_claims_have_no_pictures(result: SuiteResult) -> None:
    assert gallery(result, result.claims[0]) is None


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=list(CLAIMS))
def test_points_of_different_theory_have_different_names(claim: Claim) -> None:
    """But for alpha, which is along the axis."""
    families = {point.problem.with_(alpha=1): point.problem for point in claim.points}
    names = distinguished(list(families.values()))
    assert len(set(names)) == len(names)
