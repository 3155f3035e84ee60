"""The claim on factorised against direct training: its penalties, its theory, its controls."""

from __future__ import annotations

import pytest

from attlas.model import problem_from
from attlas.solver import solve
from attlas.verify.claims import CLAIMS
from attlas.verify.claims.points.best_penalties import BEST, NOISE, problem_at
from attlas.verify.experiments.best_penalties import ERRORS, measure, rivals_of, wrong
from attlas.verify.simulation.rivals import best_penalty
from attlas.verify.store.case import Case

CLAIM = CLAIMS["factorised-against-direct"]


def _limit(kappa0: str, alpha: str) -> dict[str, float]:
    return {name: solve(problem_at(kappa0, alpha, name), rtol=1e-3).test_error for name in ERRORS}


@pytest.mark.parametrize(("kappa0", "alpha"), BEST)
def test_no_penalty_is_better_than_the_best_by_more_than_the_error_is_flat(
    kappa0: str, alpha: str
) -> None:
    for training, here in _limit(kappa0, alpha).items():
        searched = best_penalty(
            problem_from(alpha=alpha, kappa0=kappa0, noise=NOISE, training=training, lam="0.1")
        )
        assert here <= 1.002 * solve(searched, rtol=1e-3).test_error


def test_the_theory_says_who_wins_at_each_point() -> None:
    """theory.md section 11: factorised at low rank, the positive map at half rank and at full."""
    winners = []
    for place in BEST:
        errors = _limit(*place)
        winners.append(min(errors, key=errors.__getitem__))
        assert max(errors, key=errors.__getitem__) == "direct"
    assert winners == ["factorised", "direct-psd", "direct-psd"]


def test_the_trainings_share_everything_but_their_penalty() -> None:
    for point in CLAIM.points:
        rivals = rivals_of(point.problem)
        assert list(rivals) == ["factorised", "direct-psd", "direct"]
        assert rivals["factorised"] == point.problem
        for problem in rivals.values():
            assert problem.with_(estimator=point.problem.estimator) == point.problem
    with pytest.raises(ValueError, match="no best penalties"):
        rivals_of(problem_from(alpha="0.3", kappa0="0.1", noise="0.5", lam="0.5"))


def test_controls_take_one_training_for_another() -> None:
    case = Case(CLAIM.points[0].problem, d=20, seed=2)
    made = measure(case)
    assert made.converged
    right = made.reference
    assert right["ratio_psd"] == pytest.approx(right["test_error_psd"] / right["test_error"])
    exchanged = wrong(case, CLAIM.control("roles-exchanged"))
    dropped = wrong(case, CLAIM.control("positivity-dropped"))
    assert exchanged["test_error"] == right["test_error_psd"]
    assert exchanged["ratio_psd"] == pytest.approx(1 / right["ratio_psd"])
    assert dropped["test_error_psd"] == right["test_error_direct"]
    assert dropped["test_error"] == right["test_error"]
    seen = made.measured
    assert seen["ratio_direct"] == pytest.approx(seen["test_error_direct"] / seen["test_error"])
    assert all(0 < bar < 0.01 for bar in made.reference_error.values())
