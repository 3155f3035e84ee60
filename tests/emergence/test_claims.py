"""The claims on power laws: rows are made, and their controls are told apart."""

from __future__ import annotations

import pytest

from attlas.model import PowerLaw, Problem
from attlas.verify.claims.claim import Claim
from attlas.verify.claims.points.scaling_exponents import PHASE_OF
from attlas.verify.claims.scaling_exponents import SCALING_EXPONENTS
from attlas.verify.claims.sequential_recovery import SEQUENTIAL_RECOVERY
from attlas.verify.experiments import exponents
from attlas.verify.experiments.experiment import experiment_at
from attlas.verify.experiments.sequential_recovery import at_dimension
from attlas.verify.store.case import Case
from attlas.verify.suite.work import Job


def _rejected(claim: Claim, case: Case, control: str) -> bool:
    """Whether the wrong theory is beyond twice a quantity's cap from the right one."""
    experiment = experiment_at(claim.experiment)
    right, wrong = (
        experiment.measure(case).reference,
        experiment.wrong(case, claim.control(control)),
    )
    return any(abs(wrong[q.key] / right[q.key] - 1) > 2 * q.cap for q in claim.quantities)


@pytest.mark.parametrize("control", ["gamma-shifted", "noise-halved"])
def test_controls_are_far_from_heads(control: str) -> None:
    case = Case(SEQUENTIAL_RECOVERY.points[0].problem, d=24, seed=3)
    assert _rejected(SEQUENTIAL_RECOVERY, case, control)


@pytest.mark.parametrize(
    ("control", "point"),
    [
        ("gamma-shifted", "phase II, γ = 1.25"),
        ("noise-halved", "phase IV, γ = 1.25"),
        ("noise-halved", "phase VIb, γ = 2"),
        ("noise-halved", "phase VIa, γ = 0.75"),
    ],
)
def test_controls_are_far_from_formulas(control: str, point: str) -> None:
    problem = next(one.problem for one in SCALING_EXPONENTS.points if one.key == point)
    case = Case(problem, d=250, seed=1)
    assert _rejected(SCALING_EXPONENTS, case, control)
    found = experiment_at(SCALING_EXPONENTS.experiment).measure(case)
    for key, value in found.measured.items():
        assert value == pytest.approx(found.reference[key], rel=0.015)


def test_controls_are_paired_where_the_formula_has_the_parameter() -> None:
    for point in SCALING_EXPONENTS.points:
        phase = PHASE_OF[point.problem]
        problem = point.problem
        paired = {one.id for one in SCALING_EXPONENTS.controls if one.where(problem)}
        right, experiment = _formula(problem), experiment_at(SCALING_EXPONENTS.experiment)
        moved = {
            one.id
            for one in SCALING_EXPONENTS.controls
            if experiment.wrong(Case(problem, d=500, seed=0), one) != right
        }
        assert paired == moved, phase


def _formula(problem: Problem) -> dict[str, float]:
    """Right formulas are those with nothing changed."""
    return exponents.formula_of(Case(problem, d=500, seed=0))


def test_formulas_cost_nothing_and_every_phase_is_claimed() -> None:
    assert len(SCALING_EXPONENTS.points) == 40
    job = Job(
        Case(SCALING_EXPONENTS.points[6].problem, d=1000, seed=0),
        run=True,
        controls=(),
        experiment=SCALING_EXPONENTS.experiment,
    )
    assert job.cost == 0


def test_heads_are_measured_beside_the_theory() -> None:
    for point in SEQUENTIAL_RECOVERY.points:
        found = experiment_at(SEQUENTIAL_RECOVERY.experiment).measure(Case(point.problem, 16, 5))
        assert found.converged
        assert set(found.measured) == {q.key for q in SEQUENTIAL_RECOVERY.quantities}
        assert found.measured["captured_1"] == pytest.approx(
            found.reference["captured_1"], abs=0.05
        )


def test_dimensions_keep_the_right_ratio() -> None:
    many, few = (SEQUENTIAL_RECOVERY.points[i].problem for i in (0, 2))
    assert at_dimension(many, 48).samples(48) == 4 * 48**2
    assert at_dimension(few, 48).samples(48) == 20 * 48
    target = at_dimension(few, 48).target
    assert isinstance(target, PowerLaw)
    assert target.d == 48
