"""A penalty from a user's own file: derived, solved, described and trained, unregistered."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import root

import attlas
from attlas.model import Problem, parameters_of, problem_from, register
from attlas.model.estimators import ESTIMATORS
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.spectrum import target_law
from attlas.symbolic.derive import derive
from tests.own_penalty.strangers import Elastic, Lasso

MIXED = Elastic(0.1, ridge=0.2)


def problem(estimator: attlas.Estimator, tokens: int = 1, alpha: float = 0.3) -> Problem:
    noise = "0.2"
    return Problem(
        alpha=alpha,
        target=attlas.Wishart("1/2"),
        channel=(
            attlas.LinearChannel(noise)
            if tokens == 1
            else attlas.SoftmaxChannel(tokens=tokens, noise=noise)
        ),
        estimator=estimator,
    )


@pytest.mark.parametrize("tokens", [1, 2])
@pytest.mark.parametrize(
    ("own", "ours"),
    [
        (Elastic(0.1, kappa=1.5), attlas.Factorised(0.1, 1.5)),
        (Elastic(0, ridge=0.2), attlas.DirectPSD(0.2)),
        (Lasso(0, ridge=0.2), attlas.Direct(0.2)),
    ],
)
def test_either_end_is_a_penalty_of_ours(own, ours, tokens: int) -> None:
    found, known = (attlas.solve(problem(one, tokens), rtol=1e-4) for one in (own, ours))
    for key, value in known.present().items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-9), key


def shrunk_overlaps(estimator, delta: float, epsilon: float, stiffness: float, m_hat: float):
    """q, m and sigma by quadrature: E f^2, E f E[s|x], and the mean divided difference."""
    law = target_law(attlas.Wishart("1/2")).noisy(delta)
    parts = [law.graded_nodes(*ends, 48, None) for ends in
             ((-math.inf, -epsilon), (-epsilon, epsilon), (epsilon, math.inf))]  # fmt: skip
    x, w, hilbert = (np.concatenate([getattr(p, k) for p in parts]) for k in ("x", "w", "hilbert"))
    size = np.maximum((x if estimator.penalty.positive else abs(x)) - epsilon, 0)
    f = m_hat / stiffness * np.sign(x) * size
    # E[s|x] = x - 2 delta^2 Re G(x) (section 13); sigma = 2 E[f Re G]/m_hat, by parts.
    return w @ f**2, w @ (f * (x - 2 * delta**2 * hilbert)), 2 * (w @ (f * hilbert)) / m_hat


@pytest.mark.parametrize("estimator", [MIXED, Lasso(0.1, ridge=0.2), Lasso(0.1)])
def test_a_mixed_penalty_solves_the_six_equations_written_down_here(estimator) -> None:
    """One token: q_hat, m_hat and sigma_hat in closed form (section 8), overlaps by quadrature."""
    of = problem(estimator)
    penalty = estimator.penalty
    linear, quadratic = float(penalty.linear), float(penalty.quadratic)
    solution = attlas.solve(of)

    def defect(logs: np.ndarray) -> np.ndarray:
        q_hat, hat = np.exp(logs)
        delta, epsilon = math.sqrt(q_hat) / hat, 2 * linear / hat
        q, m, sigma = shrunk_overlaps(estimator, delta, epsilon, hat + 4 * quadratic, hat)
        misfit, scale = q - 2 * m + 1.5 + 0.1, 1 + 4 * sigma
        return np.array([q_hat * scale**2 / (32 * 0.3 * misfit) - 1, hat * scale / (8 * 0.3) - 1])

    start = np.log([solution.q_hat, solution.m_hat])
    found = root(defect, start + 0.2, tol=1e-12)
    assert found.success
    assert np.exp(found.x) == pytest.approx(np.exp(start), rel=1e-6)
    assert solution.m_hat == pytest.approx(solution.sigma_hat)


@pytest.mark.parametrize("estimator", [MIXED, Lasso(0.1, ridge=0.2)])
def test_the_replicon_is_the_mean_squared_slope_of_the_denoiser(estimator) -> None:
    solution = attlas.solve(problem(estimator))
    d = 300
    rng = np.random.default_rng(1)
    factor, noise = rng.standard_normal((d, d // 2)), rng.standard_normal((d, d))
    s0 = factor @ factor.T / math.sqrt(d * d / 2)
    x = np.linalg.eigvalsh(s0 + solution.delta * (noise + noise.T) / math.sqrt(2 * d))
    size = (x if estimator.penalty.positive else abs(x)) - solution.epsilon
    kept = np.sign(x) * np.maximum(size, 0)
    gaps = np.subtract.outer(x, x) + np.eye(d)
    slopes = np.subtract.outer(kept, kept) / gaps + np.diag(size > 0)
    stiffness = solution.sigma_hat + 4 * 0.1
    # <Tr C r' C r'> of the linear score is (4/(1 + 4 sigma))^2 = (sigma_hat/(2 alpha))^2.
    expected = 2 * 0.3 * (solution.sigma_hat / 0.6) ** 2 * np.mean(slopes**2) / stiffness**2
    assert solution.replicon == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("estimator", [MIXED, Lasso(0.1, ridge=0.2)])
def test_heads_are_trained_to_one_minimum_near_the_theory(estimator) -> None:
    run = attlas.simulate(problem(estimator), d=40, seeds=[3], algorithm="fista").runs[0]
    for algorithm in ("adam", "amp", "staged"):
        other = attlas.simulate(
            problem(estimator), d=40, seeds=[3], algorithm=algorithm, paired=False
        ).runs[0]
        assert other.certificate.minimal
        assert other.observables.loss == pytest.approx(run.observables.loss, rel=1e-9), algorithm
    deviations = run.deviations()
    for key, allowed in (("loss", 0.03), ("q", 0.05), ("m", 0.05), ("test_error", 0.06)):
        assert abs(deviations[key]) < allowed, (key, deviations[key])


def test_the_learned_spectrum_follows_the_denoiser() -> None:
    found = attlas.spectrum(problem(MIXED))
    solution = found.solution
    top = target_law(attlas.Wishart("1/2")).noisy(solution.delta).top
    eta = solution.m_hat / (solution.sigma_hat + 0.4)
    assert found.bands[-1].upper == pytest.approx(eta * (top - 0.2 / solution.m_hat), rel=1e-9)
    assert found.singular_values is not None
    with pytest.raises(attlas.BadInput, match="both sides of zero"):
        attlas.spectrum(problem(Lasso(0.1)))


@pytest.mark.parametrize("estimator", [MIXED, Lasso(0.1, ridge=0.2)])
def test_beyond_the_largest_penalty_nothing_is_learned(estimator) -> None:
    largest = largest_penalty(problem(estimator)).lam
    # A ridge beside it does not move it: at S = 0 its slope is zero.
    assert largest == pytest.approx(largest_penalty(problem(attlas.Factorised(1))).lam)
    for factor, collapsed in ((0.99, False), (1.01, True)):
        at = attlas.solve(problem(estimator.with_(lam=factor * largest)))
        assert (at.q == 0) is collapsed


def test_its_best_penalty_is_no_worse_than_its_neighbours() -> None:
    best = attlas.best_lambda(problem(Elastic(1, ridge=0.01), alpha=0.2), rtol=1e-4).values
    assert best.lam > 0
    for factor in (0.7, 1.4):
        near = attlas.solve(problem(Elastic(factor * best.lam, ridge=0.01), alpha=0.2))
        assert near.test_error > best.test_error
    # Beside this ridge no weight decay is best: the limit is that of the ridge alone.
    ridged = attlas.best_lambda(problem(MIXED), rtol=1e-4).values
    alone = attlas.solve(problem(attlas.DirectPSD(0.2)))
    assert ridged.lam == 0
    assert ridged.test_error == pytest.approx(alone.test_error, rel=1e-6)


@pytest.fixture
def registered():
    register(Elastic)
    yield
    del ESTIMATORS["elastic"]


@pytest.mark.usefixtures("registered")
def test_a_registered_penalty_has_a_grammar() -> None:
    base = {"alpha": "0.3", "kappa0": "1/2"}
    written = problem_from(**base, training="elastic:ridge=3/8", lam="0.1", kappa=2)
    assert written.estimator == Elastic(0.1, kappa=2, ridge=0.375)
    assert problem_from(**base, training="elastic", ridge="3/8", lam="0.1", kappa=2) == written
    assert problem_from(**base, training="elastic:lam=0.1,ridge=3/8,kappa=2") == written
    flat = parameters_of(written)
    assert flat["training"] == "elastic:ridge=0.375"
    assert problem_from(**flat) == written
    text = derive("state-evolution", {"training": "elastic:ridge=0.2"})
    assert "S = W W^T/sqrt(p d) with lam ||W||_F^2 = d lam_tilde Tr S + d (lam_f/2)" in " ".join(
        text.split()
    )


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("flat", "parameter", "said"),
    [
        ({"training": "elastic:rigde=1", "lam": 1}, "training elastic: key", "did you mean ridge"),
        ({"training": "elastic:ridge=1", "lam": 1, "ridge": 2}, "ridge", "conflicts with"),
        ({"training": "elastic", "lam": 1, "ridge": "x"}, "ridge", "finite number"),
        ({"training": "elastic", "lam": 1, "ridge": -1}, "quadratic", "0 or greater"),
        ({"training": "elastic"}, "lam", "is missing"),
        ({"training": "factorised", "lam": 1, "ridge": 2}, "ridge", "no meaning"),
        ({"training": "elastick", "lam": 1}, "training", "did you mean elastic"),
    ],
)
def test_bad_parameters_of_it_are_refused_in_a_sentence(flat, parameter, said) -> None:
    with pytest.raises(attlas.BadInput, match=said) as refusal:
        problem_from(alpha="0.3", kappa0="1/2", **flat)
    assert refusal.value.parameter == parameter


def test_a_name_that_is_taken_is_refused() -> None:
    class Other(Elastic):
        name = "factorised"

    with pytest.raises(attlas.BadInput, match=r"factorised.*is taken"):
        register(Other)
    assert ESTIMATORS["factorised"] is attlas.Factorised
    assert register(attlas.Factorised) is attlas.Factorised


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"linear": -1, "positive": True}, "linear"),
        ({"quadratic": "nan", "positive": True}, "quadratic"),
        ({"positive": True, "width": 0}, "width"),
        ({"positive": False, "width": 1}, "width"),
        ({"positive": True, "limited": True}, "limited"),
    ],
)
def test_penalties_that_make_no_sense(wrong, parameter) -> None:
    with pytest.raises(attlas.BadInput) as refusal:
        attlas.Penalty(**wrong)
    assert refusal.value.parameter == parameter


def test_no_penalty_at_all_is_refused_in_a_sentence() -> None:
    class Nothing(Elastic):
        name = "nothing"

        @property
        def penalty(self) -> attlas.Penalty:
            return attlas.Penalty(positive=True)

    with pytest.raises(attlas.BadInput, match=r"nothing.*a penalty greater than 0"):
        attlas.solve(problem(Nothing(1)))
