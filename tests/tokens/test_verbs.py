"""What else answers for a problem with tokens: planes, best penalties, parts of the error."""

from __future__ import annotations

import math

import pytest

import attlas
from attlas import BadInput
from attlas.model import problem_from
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.trajectory import trajectory

BASE = {"alpha": "0.3", "lam": "3", "kappa0": "0.5", "noise": "0.5", "tokens": 1}


def test_a_plane_has_the_kurtosis_as_an_axis() -> None:
    """S = 0 at fewer data the more the norm fluctuates: the trace pays for itself."""
    found = attlas.phase(
        problem_from(**BASE),
        "alpha,k",
        x="0.02:0.4:2",
        y="-2:4:2",
        boundaries=["collapse", "interpolation"],
        map_key="t",
        tolerance=0.02,
        workers=1,
    )
    assert "interpolation" in found.absent
    (curve,) = found.curves
    for point in (curve.points[0], curve.points[-1]):
        at = problem_from(**{**BASE, "alpha": point.x, "tokens_law": f"kurtosis:k={point.y}"})
        assert largest_penalty(at).lam == pytest.approx(3, rel=0.02)
    cells = found.to_dict()["map"]["rows"]
    assert [cell["k"] for cell in cells] == [-2, 4, -2, 4]


def test_a_plane_has_the_correlation_of_coordinates_as_an_axis() -> None:
    problem = problem_from(**BASE, tokens_law="normalised")
    found = attlas.phase(
        problem, "alpha,rho", x="0.2:0.4:2", y="0:0.5:2", boundaries=["collapse"], workers=1
    )
    assert found.absent == {"collapse": "It is no curve in the plane alpha,rho."}
    assert found.plane.problem(0.2, 0.5).tokens.normalised


def test_the_best_penalty_of_tokens_without_a_posterior() -> None:
    problem = problem_from(**BASE, tokens_law="rademacher")
    found = attlas.best_lambda(problem, rtol=1e-4).values
    assert math.isnan(found.bayes_test_error)
    assert "efficiency" not in found.present()
    assert found.test_error < min(found.test_error_half, found.test_error_double)


def test_parts_of_the_error_with_a_fluctuating_norm() -> None:
    """T = 1: test error = 2 (mse + noise/2) + k (t - t0)^2, of which parts see multiples of S0."""
    problem = problem_from(**{**BASE, "lam": "0.1", "tokens_law": "kurtosis:k=3"})
    found, solution = attlas.decompose(problem), attlas.solve(problem)
    assert found.over + found.under + found.approx == pytest.approx(found.error_scaled, rel=1e-6)
    missed = 3 * ((solution.t - 0.5**0.5) ** 2 - 0.5 * (solution.m / 1.5 - 1) ** 2)
    assert found.remainder == pytest.approx(missed, rel=1e-3)
    assert attlas.spectrum(problem)["rank_fraction"] == pytest.approx(
        solution.rank_fraction, rel=1e-9
    )


def test_state_evolution_step_by_step_ends_at_the_solution() -> None:
    problem = problem_from(**{**BASE, "lam": "0.1", "tokens_law": "rademacher"})
    last = trajectory(problem, 200).points[-1].overlaps
    solution = attlas.solve(problem)
    assert last.traces == (pytest.approx(solution.t, rel=1e-6),)
    assert last.q == pytest.approx(solution.q, rel=1e-6)


@pytest.mark.parametrize("verb", [attlas.spectrum, attlas.decompose])
def test_maps_behind_a_covariance_are_refused_with_the_reason(verb) -> None:
    with pytest.raises(BadInput, match=r"^token_covariance = 'ar1:rho=0.5'.*C\^\(1/2\)"):
        verb(problem_from(**BASE, token_covariance="ar1:rho=0.5"))


def test_thresholds_that_tokens_move_are_refused() -> None:
    noiseless = problem_from(**{**BASE, "noise": "0", "tokens_law": "rademacher"})
    usual = problem_from(**{**BASE, "noise": "0"})
    exact = [attlas.threshold("perfect-recovery", problem=p).alpha for p in (noiseless, usual)]
    assert exact[0] == exact[1]  # Tr S = Tr S0 where S = S0
    with pytest.raises(BadInput, match="moves the threshold interpolation"):
        attlas.threshold("interpolation", problem=problem_from(**BASE, tokens_law="rademacher"))
    for k in ("-2", "0", "3"):
        problem = problem_from(**BASE, tokens_law=f"kurtosis:k={k}")
        closed = attlas.threshold("collapse", problem=problem, digits=20).lam
        assert float(closed or 0) == pytest.approx(largest_penalty(problem).lam, rel=1e-12)
