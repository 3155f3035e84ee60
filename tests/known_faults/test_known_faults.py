"""Faults that code of this kind is known for and that no other room's tests hold."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.cli.main import main
from attlas.model import BadInput, problem_from
from attlas.solver import SolveError, Status, solve, threshold
from attlas.solver.fixed_point import find
from attlas.solver.spectrum import target_law
from attlas.solver.trajectory import trajectory
from attlas.verify import draw_teacher


@pytest.mark.parametrize("delta", [1e-4, 1e-2, 1.0, 10.0])
def test_a_tiny_rank_keeps_mass_mean_and_second_moment(delta):
    law = target_law(problem_from(alpha=1, lam=1, kappa0="1e-4").target)
    mass, mean, second = law.noisy(delta).moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(law.mean, abs=1e-12 * (1 + delta))
    assert second == pytest.approx(law.q0 + delta**2, rel=1e-12)


def test_damping_is_not_convergence():
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", noise="0.1", tokens=1)
    right = solve(problem)
    for damping in (0.05, 0.5):
        last = trajectory(problem, 400, damping=damping).points[-1].overlaps
        assert last.q == pytest.approx(right.q, abs=right.error.q + 1e-12)
        assert last.m == pytest.approx(right.m, abs=right.error.m + 1e-12)


def test_a_vanishing_penalty_at_the_interpolation_threshold():
    alpha = threshold("interpolation", kappa0="1/2", noise="1/2", tokens=1, digits=30).alpha
    flat = {"alpha": alpha, "kappa0": "1/2", "noise": "1/2", "tokens": 1}
    peak = solve(problem_from(**flat, lam=0), rtol=1e-3)
    heights = [solve(problem_from(**flat, lam=lam), rtol=1e-3) for lam in ("1e-7", "1e-10")]
    assert all(one.status.ok for one in heights)
    # The height is approached as lam^(1/3): a factor 10 in the distance for 1000 in lam.
    far, near = (peak.mse - one.mse for one in heights)
    assert 0 < near < far
    assert far / near == pytest.approx(10, rel=0.05)


@pytest.mark.parametrize("tokens", [1, 2])
def test_noise_at_the_edge_of_rounding_is_no_noise(tokens):
    flat = {"alpha": "0.2", "lam": "0.05", "kappa0": "0.5", "tokens": tokens}
    none, little = (solve(problem_from(**flat, noise=noise)) for noise in ("0", "1e-12"))
    for key in ("q", "m", "sigma", "loss", "train_error", "test_error"):
        value = getattr(none, key)
        within = getattr(none.error, key) + getattr(little.error, key) + 1e-10 * abs(value)
        assert getattr(little, key) == pytest.approx(value, abs=within), key


def test_rounding_noise_without_a_penalty_neither_fails_nor_recovers_exactly():
    flat = {"alpha": "0.45", "lam": 0, "kappa0": "0.5", "tokens": 1}
    little, more = (solve(problem_from(**flat, noise=noise)).mse for noise in ("1e-12", "1e-8"))
    # Above recovery the squared error is proportional to the noise.
    assert 0 < little < more
    assert more / little == pytest.approx(1e4, rel=0.02)


@pytest.mark.parametrize(
    "step", [lambda x: x + 1e-3, lambda x: np.where(x >= 0, -1.5, 1.5)], ids=["drifts", "flips"]
)
def test_a_map_without_a_fixed_point_reports_its_residual(step):
    point = find(step, np.ones(2), tolerance=1e-9, max_steps=400)
    assert point.residual == pytest.approx(float(np.max(np.abs(step(point.x) - point.x))))
    assert point.residual >= 1e-3 * (1 - 1e-9)


@pytest.mark.parametrize("tokens", [1, 2])
@pytest.mark.parametrize(
    "extreme",
    [
        {"alpha": "1e9"},
        {"alpha": "1e30"},
        {"alpha": "1e-20", "lam": 0},
        {"kappa0": "1e-30"},
        {"kappa0": None, "target": "atoms:1e-40/1e-42"},
        {"kappa0": None, "target": "atoms:1e60"},
        {"lam": "1e-40"},
        {"beta0": "1", "beta": "1e-30"},
        {"alpha": "1e30", "training": "direct"},
    ],
    ids=str,
)
def test_extreme_parameters_end_in_numbers_or_in_a_sentence(extreme, tokens):
    flat = {"alpha": "0.3", "lam": "0.05", "kappa0": "0.5", "tokens": tokens, **extreme}
    if tokens == 1 and "beta" in flat:
        flat = {**flat, "beta": None, "beta0": None, "noise": "1e30"}
    solution = solve(problem_from(**flat), raise_on_failure=False)
    assert not any(np.isnan(value) for value in solution.present().values())
    assert solution.present() or not solution.status.ok
    if solution.status is Status.OUT_OF_RANGE:
        with pytest.raises(SolveError, match="leaves the range of double precision"):
            solve(problem_from(**flat))


@pytest.mark.parametrize("values", ["1e-300", "0", "1e-80/1e-90"])
def test_eigenvalues_that_all_vanish_are_refused(values):
    with pytest.raises(BadInput, match="at least one eigenvalue must be greater than 1e-76"):
        problem_from(alpha="0.3", lam="0.05", target=f"atoms:{values}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["scaling", "--n", "100,100"],
        ["scaling", "--target", "power-law:gamma=1e3,d=24"],
        ["scaling", "--compare-routes", "--n", "1e30"],
        ["scaling", "--compare-routes", "--lam", "1e30"],
        ["scaling", "--compare-routes", "--noise", "1e-30"],
        ["scaling", "--compare-routes", "--noise", "1e30"],
        ["scaling", "--compare-routes", "--target", "power-law:gamma=54,d=24"],
        ["scaling", "--emergence", "--target", "power-law:gamma=1e3,d=24"],
        ["scaling", "--emergence", "--target", "power-law:gamma=54,d=24", "--modes", "23"],
        ["scaling", "--table", "1e3"],
        ["scaling", "--seeds", "3"],
        ["scaling", "--study", "lasso", "--noise", "1e30"],
        ["scaling", "--study", "time", "--n", "1e30"],
        ["scaling", "--study", "tail", "--target", "power-law:gamma=1,d=1e9"],
        ["simulate", "--kappa", "1e30"],
        ["simulate", "--kappa0", "1e10"],
        ["simulate", "--alpha", "1e30"],
        ["simulate", "--d", "100000"],
        ["simulate", "--lam", "1e50"],
        ["simulate", "--damping", "0.5"],
        ["simulate", "--onsager", "mean"],
        ["simulate", "--algorithm", "fista", "--adam-steps", "3"],
        ["spectrum", "--d", "100000", "--simulate"],
        ["derive", "channel", "--tokens", "1000"],
    ],
    ids=" ".join,
)
def test_extremes_end_in_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    verb, *rest = arguments
    problem = {"--alpha": "0.3", "--lam": "0.05", "--kappa0": "0.5", "--tokens": "1"}
    usual = {
        "scaling": {"--target": "power-law:gamma=1,d=24", "--n": "100,200", "--lam": "1"},
        "simulate": {**problem, "--d": "8", "--seeds": "1"},
        "spectrum": problem,
        "derive": {},
    }[verb]
    if "--table" in rest:
        usual = {}
    elif "--study" in rest:
        usual = {"--target": usual["--target"]}
    elif "--compare-routes" in rest:
        usual = {"--target": usual["--target"], "--n": "1000"}
    others = [part for pair in usual.items() if pair[0] not in rest for part in pair]
    assert main([verb, *rest, *others]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(".\n")
    assert err.count("\n") == 1


def test_a_teacher_wider_than_its_dimension_needs_no_square_of_its_width() -> None:
    teacher = draw_teacher(problem_from(alpha=1, lam=1, kappa0="1e4").target, 8, 0)
    rebuilt = (teacher.eigenvectors * teacher.eigenvalues) @ teacher.eigenvectors.T
    assert rebuilt == pytest.approx(teacher.s0, rel=1e-12)
