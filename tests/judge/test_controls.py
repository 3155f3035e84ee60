"""Wrong theories: each is wrong in exactly the way that it says."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import LinearChannel, SoftmaxChannel, Wishart, problem_from
from attlas.solver import solve
from attlas.solver.channels import channel_kernel
from attlas.solver.denoisers import Denoiser
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.spectrum import target_law
from attlas.verify.claims.controls import (
    CONTROLS,
    DOUBLED_PENALTY,
    DROPPED_FACTORS,
    HALVED_NOISE,
    MISSING_THRESHOLD,
    TWO_SIDED_THRESHOLD,
)
from attlas.verify.claims.controls.dropped_factors import WithoutDiagonalFactors
from attlas.verify.claims.controls.two_sided_threshold import TwoSided
from attlas.verify.suite.schedule import Schedule
from attlas.verify.suite.suites import SUITES

PROBLEM = problem_from(alpha="0.2", lam="0.01", kappa0="0.5")


def test_doubled_penalty():
    wrong = DOUBLED_PENALTY.wrong(PROBLEM)
    assert wrong == problem_from(alpha="0.2", lam="0.02", kappa0="0.5")


@pytest.mark.parametrize("hats", [Conjugates(0.1, 1.0, 1.0), Conjugates(1.5, 1.0, 1.2)])
def test_two_sided_threshold_integrates_both_tails(hats: Conjugates):
    lam_tilde = 0.15
    law = target_law(Wishart("0.5"))
    state = Denoiser.of(TwoSided(lam_tilde).penalty, law).state(hats)
    delta, epsilon = hats.q_hat**0.5 / hats.m_hat, 2 * lam_tilde / hats.m_hat
    noisy = law.noisy(delta)
    nodes = noisy.nodes()
    shrunk = np.sign(nodes.x) * np.maximum(np.abs(nodes.x) - epsilon, 0)
    # The kinks cost the plain rule its digits, not its first three.
    eta = hats.m_hat / hats.sigma_hat
    assert state.overlaps.q == pytest.approx(eta**2 * nodes.w @ shrunk**2, rel=2e-3)
    tails = 1 - noisy.cdf(epsilon) + noisy.cdf(-epsilon)
    assert state.rank_fraction == pytest.approx(float(tails), abs=1e-9)
    positive = Denoiser.of(PROBLEM.estimator.trained(), law).state(hats)
    assert state.overlaps.q != pytest.approx(positive.overlaps.q, rel=0.01)


def test_two_sided_threshold_is_stationary():
    # q, m and sigma come from one free energy: sigma is its derivative in q_hat, m in m_hat.
    law = target_law(Wishart("0.5"))
    wrong = Denoiser.of(TwoSided(0.15).penalty, law)
    q_hat, m_hat, sigma_hat, width = 1.5, 1.0, 1.2, 1e-5

    def energy(q: float, m: float, s: float) -> float:
        return wrong.state(Conjugates(q, m, s)).free_energy

    here = wrong.state(Conjugates(q_hat, m_hat, sigma_hat)).overlaps
    d_q = energy(q_hat + width, m_hat, sigma_hat) - energy(q_hat - width, m_hat, sigma_hat)
    d_m = energy(q_hat, m_hat + width, sigma_hat) - energy(q_hat, m_hat - width, sigma_hat)
    d_s = energy(q_hat, m_hat, sigma_hat + width) - energy(q_hat, m_hat, sigma_hat - width)
    assert here.sigma == pytest.approx(-4 * d_q / (2 * width), rel=1e-6)
    assert here.m == pytest.approx(-2 * d_m / (2 * width), rel=1e-6)
    assert here.q == pytest.approx(4 * d_s / (2 * width), rel=1e-6)


@pytest.mark.parametrize("channel", [LinearChannel("0.5"), SoftmaxChannel(2, noise="0.5")])
def test_dropped_factors_give_unit_variances_and_the_metric_with_them(channel):
    wrong, right = channel_kernel(WithoutDiagonalFactors(channel)), channel_kernel(channel)
    at = Overlaps(q=1.1, m=1.0, sigma=0.7)
    signal, level, width = 1.75, min(wrong.finest, 1), 1e-4

    def energy(q: float, m: float, sigma: float) -> float:
        return wrong.moments(Overlaps(q, m, sigma), signal, level).energy

    moments = wrong.moments(at, signal, level)
    assert moments.energy < right.moments(at, signal, level).energy
    numeric = [
        (energy(*(np.add(order, shift))) - energy(*(np.subtract(order, shift)))) / (2 * width)
        for order in [(at.q, at.m, at.sigma)]
        for shift in width * np.eye(3)
    ]
    assert [moments.d_q, moments.d_m, moments.d_sigma] == pytest.approx(numeric, rel=1e-4)


def test_dropped_factors_halve_the_linear_score():
    # A diagonal score of variance Q instead of 2Q is the right one at half the overlaps.
    at, signal = Overlaps(q=1.1, m=1.0, sigma=0.7), 1.75
    wrong = channel_kernel(WithoutDiagonalFactors(LinearChannel("0.5"))).moments(at, signal, 0)
    half = Overlaps(q=at.q / 2, m=at.m / 2, sigma=at.sigma / 2)
    right = channel_kernel(LinearChannel("0.5")).moments(half, signal / 2, 0)
    assert wrong.energy == pytest.approx(right.energy)
    assert wrong.train_error == pytest.approx(right.train_error)
    assert 4 * wrong.response == pytest.approx(right.response)


def test_wrong_channel_keeps_what_a_problem_asks_of_a_channel():
    problem = problem_from(alpha="0.2", lam="0.01", kappa0="0.5", noise="0.5")
    wrong = DROPPED_FACTORS.wrong(problem)
    assert wrong.channel.noise == problem.channel.noise
    assert wrong.channel.label_rank == problem.channel.label_rank
    assert TWO_SIDED_THRESHOLD.wrong(problem).channel == problem.channel


@pytest.mark.parametrize("alpha", ["0.3", "0.5"])
def test_missing_threshold_is_the_limit_of_no_penalty(alpha: str):
    # Below interpolation (a_int = 0.307 here) and above it: the soft threshold goes to zero.
    problem = problem_from(alpha=alpha, lam="0.05", kappa0="0.5", noise="0.5", tokens=1)
    wrong = solve(MISSING_THRESHOLD.wrong(problem), rtol=1e-4)
    right = solve(problem, rtol=1e-4)
    assert wrong.epsilon == pytest.approx(0, abs=1e-12)
    assert wrong.mse > 1.1 * right.mse


def test_missing_threshold_is_left_out_where_it_has_no_closed_form():
    assert not MISSING_THRESHOLD.where(PROBLEM)
    assert MISSING_THRESHOLD.where(problem_from(alpha="0.5", lam="0.05", kappa0="0.5", tokens=1))


def test_halved_noise_says_nothing_about_clean_labels():
    noisy = problem_from(alpha="0.2", lam="0.01", kappa0="0.5", noise="0.5")
    assert HALVED_NOISE.where(noisy)
    assert HALVED_NOISE.wrong(noisy).channel.noise == noisy.channel.noise / 2
    assert not HALVED_NOISE.where(PROBLEM)


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_pairs_runs_with_every_wrong_theory(name: str):
    paired = {control.id for job in Schedule.of(name, None).jobs() for control in job.controls}
    assert {control.id for control in CONTROLS} <= paired
    assert len(CONTROLS) == 5
