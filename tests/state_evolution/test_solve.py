"""What a solve promises: outcomes, error bars, branches, refusals."""

from __future__ import annotations

import importlib
import math
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import BadInput, Factorised, LinearChannel, Problem, SoftmaxChannel, Wishart
from attlas.model.channels import Channel
from attlas.model.exact import Number
from attlas.solver import SolveError, Status, solve
from attlas.solver.branches import Branch, find_branches
from attlas.solver.state_evolution import StateEvolution


def problem(
    alpha: Number = 0.2,
    lam: Number = 0.01,
    kappa0: Number = 0.5,
    noise: Number = 0,
    kappa: Number = 1,
    channel: Channel | None = None,
) -> Problem:
    return Problem(
        alpha=alpha,
        target=Wishart(kappa0),
        channel=channel or SoftmaxChannel(noise=noise),
        estimator=Factorised(lam, kappa),
    )


def test_loss_is_stationary_in_lambda():
    """dPhi/d lam_tilde = Tr S/d at the minimum: the envelope theorem ties Phi to the spectrum."""
    step = 1e-4
    up, down = (solve(problem(lam=0.01 + s), rtol=1e-7) for s in (step, -step))
    here = solve(problem(lam=0.01), rtol=1e-7)
    trace = _trace(problem(lam=0.01), here)
    assert (up.loss - down.loss) / (2 * step) == pytest.approx(trace, rel=2e-4)


def _trace(of: Problem, solution) -> float:
    """Tr S/d = eta int (x - epsilon)_+ mu_delta = -eta J2/2."""
    noisy = StateEvolution.of(of).matrix.law.noisy(solution.delta)  # type: ignore[attr-defined]
    return -0.5 * solution.eta * noisy.truncated(solution.epsilon).j2


def test_loss_is_train_error_plus_penalty():
    solution = solve(problem(), rtol=1e-7)
    penalty = 0.01 * _trace(problem(), solution)
    assert solution.loss == pytest.approx(0.2 * solution.train_error + penalty, rel=1e-6)


@settings(max_examples=8, deadline=None)
@given(
    alpha=st.floats(0.05, 3),
    lam=st.floats(1e-3, 0.5),
    kappa0=st.floats(0.05, 2),
    noise=st.one_of(st.just(0.0), st.floats(1e-6, 1)),
)
def test_linear_channel_satisfies_its_closed_form(alpha, lam, kappa0, noise):
    of = problem(alpha, lam, kappa0, channel=LinearChannel(noise), kappa=2)
    solution = solve(of)
    if solution.status is Status.COLLAPSED:
        assert solution.q == 0
        return
    system = StateEvolution.of(of)
    integrals = system.matrix.law.noisy(solution.delta).truncated(solution.epsilon)  # type: ignore[attr-defined]
    a = float(of.alpha)
    # theory.md section 15: the two equations of the linear channel.
    assert 2 * a * solution.delta**2 == pytest.approx(solution.mse + float(of.channel.noise) / 2)
    lam_tilde = float(of.estimator.trained().linear)
    bulk = 4 * a - integrals.j1 / solution.delta
    assert lam_tilde == pytest.approx(solution.epsilon * bulk, abs=1e-9)


def test_error_bars_do_not_understate():
    for case in (problem(0.3, 0.02, 0.3), problem(0.5, 0.05, 0.5, noise=0.5)):
        rough, fine = solve(case, rtol=1e-4), solve(case, rtol=1e-7)
        for key, value in rough.present().items():
            distance = abs(value - getattr(fine, key))
            allowed = getattr(rough.error, key) + getattr(fine.error, key)
            assert distance <= allowed, (case, key)


@pytest.mark.parametrize(("alpha", "lam"), [(0.2, 0.03), (0.34, 0.03), (0.6, 0.01)])
def test_error_bars_hold_where_jumps_are_rare(alpha, lam):
    """Their weight, 1e-10 to 1e-7, lies between what is felt and what is not."""
    case = problem(alpha, lam, noise=0.5)
    rough, fine = solve(case, rtol=1e-3), solve(case, rtol=2e-5)
    assert rough.stats.nodes < fine.stats.nodes
    for key, value in rough.present().items():
        allowed = getattr(rough.error, key) + getattr(fine.error, key)
        assert abs(value - getattr(fine, key)) <= allowed, key


@pytest.mark.slow
def test_a_tolerance_out_of_reach_says_what_was_reached():
    hard = problem(0.3, 0.003, noise=0.5)
    solution = solve(hard, rtol=1e-7, raise_on_failure=False)
    assert solution.status is Status.INACCURATE
    largest = max(solution.error.present()[key] / solution.present()[key] for key in ("q", "sigma"))
    assert 1e-7 < largest < 1e-4
    assert f"at most {largest:.1e}" in solution.advice
    # Without a name for it a solve asks for what the problem can give.
    unnamed = solve(hard)
    assert unnamed.status is Status.CONVERGED
    assert unnamed.q == pytest.approx(solution.q, abs=unnamed.error.q + solution.error.q)
    assert unnamed.error.q < 1e-4 * unnamed.q


def test_a_budget_ends_a_solve_and_says_what_was_reached():
    hard = problem(0.5, 1e-5, noise=2)
    began = time.perf_counter()
    solution = solve(hard, budget=0.5, raise_on_failure=False)
    assert time.perf_counter() - began < 30
    if solution.status.ok:
        assert "relative error bars are at most" in solution.advice or solution.error.q < 1e-3
    else:
        assert "`budget`" in solution.advice
    with pytest.raises(BadInput, match="budget"):
        solve(hard, budget=0)


def test_collapse_is_an_exact_answer():
    solution = solve(problem(lam=2))
    assert solution.status is Status.COLLAPSED
    assert "every lam beyond 0.878338" in solution.advice
    assert (solution.q, solution.m, solution.rank_fraction) == (0, 0, 0)
    assert solution.mse == pytest.approx(1.5)


def test_collapse_sets_in_at_the_known_penalty():
    # theory.md section 9: T = 2, alpha = 0.2, kappa0 = 0.5, noise 0: lambda_max = 0.87834.
    assert solve(problem(lam="0.8784")).status is Status.COLLAPSED
    assert solve(problem(lam="0.8782"), rtol=1e-3, raise_on_failure=False).q != 0


def test_penalty_depends_on_width_only_through_lam_tilde():
    wide, narrow = solve(problem(lam=0.01)), solve(problem(lam=0.02, kappa=1, alpha=0.2))
    rescaled = solve(problem(lam=0.01, kappa=4))
    assert rescaled.q == pytest.approx(narrow.q, rel=1e-9)
    assert wide.q != pytest.approx(narrow.q, rel=1e-3)


def test_narrow_student_is_refused_with_the_needed_width():
    with pytest.raises(BadInput, match=r"^kappa = 0\.4 .*0\.48") as refusal:
        solve(problem(kappa=0.4, lam=0.01 / math.sqrt(0.4)))
    assert refusal.value.parameter == "kappa"


@pytest.mark.parametrize("rtol", [0, -1, 0.5])
def test_tolerance_out_of_range(rtol):
    with pytest.raises(BadInput, match=r"^rtol "):
        solve(problem(), rtol=rtol)


@pytest.mark.parametrize(
    ("alpha", "lam", "kappa0", "noise"),
    [
        # faults: tiny penalty above recovery; just above the threshold, where a ghost of the
        # lost branch slows the iteration; where the undamped iteration is chaotic.
        (0.1, "1e-10", "0.01", 0),
        (0.16, "1e-8", "0.1", 0),
        (0.1575, "1e-8", "0.1", 0),
        (0.5, "1e-10", "0.0625", 0),
        (0.05, "1e-3", 2, "1e-6"),
    ],
)
def test_hard_points_of_the_linear_channel(alpha, lam, kappa0, noise):
    of = problem(alpha, lam, kappa0, channel=LinearChannel(noise), kappa=2)
    solution = solve(of)
    assert len(solution.branches) == 1
    integrals = StateEvolution.of(of).matrix.law.noisy(solution.delta).truncated(solution.epsilon)  # type: ignore[attr-defined]
    assert 2 * alpha * solution.delta**2 == pytest.approx(
        integrals.squared_error + float(noise) / 2, rel=1e-8
    )
    bulk = 4 * alpha - integrals.j1 / solution.delta
    assert float(of.estimator.trained().linear) == pytest.approx(
        solution.epsilon * bulk, rel=1e-6, abs=1e-11
    )  # type: ignore[attr-defined]


def test_failure_is_an_error_or_a_status():
    hard = problem(alpha=0.1, lam=1e-7)
    with pytest.raises(SolveError, match="max_steps"):
        solve(hard, rtol=0.1, max_steps=10)
    failed = solve(hard, rtol=0.1, max_steps=10, raise_on_failure=False)
    assert failed.status is Status.NOT_CONVERGED


def test_starts_that_end_beside_one_solution_are_one_branch(monkeypatch):
    found = find_branches(StateEvolution.of(problem()), 5000)
    point = found[0].point
    assert point is not None
    beside = Branch("beside", replace(point, x=point.x + 3e-4))
    module = importlib.import_module("attlas.solver.solve")
    monkeypatch.setattr(module, "find_branches", lambda *_: [*found, beside])
    assert len(solve(problem(), rtol=1e-4).branches) == 1
