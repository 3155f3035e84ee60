"""The limit lam -> 0+, and the linear channel by bracketed roots."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attlas.model import (
    BadInput,
    Direct,
    DirectPSD,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    WidthLimited,
    Wishart,
    problem_from,
)
from attlas.model.exact import Number
from attlas.solver import Solution, Status, solve, threshold
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.ridgeless.beyond import follow_from_peak
from attlas.solver.ridgeless.route import balance_of
from attlas.solver.state_evolution import StateEvolution


def problem(alpha, kappa0: Number = "1/2", channel=None, estimator=None) -> Problem:
    return Problem(
        alpha=alpha,
        target=Wishart(kappa0),
        channel=channel or LinearChannel(),
        estimator=estimator or Factorised(0),
    )


@pytest.mark.parametrize(
    ("alpha", "lam_tilde", "noise", "mse"),
    [
        # theory.md section 15, kappa0 = 0.3
        ("0.09079840", "0.19892933", 0, 0.88160430),
        ("0.51732716", "0.01133407", "0.15", 0.12805832),
    ],
)
def test_published_points_of_the_linear_channel(alpha, lam_tilde, noise, mse):
    solution = solve(problem(alpha, "0.3", LinearChannel(noise), Factorised(lam_tilde)))
    assert solution.mse == pytest.approx(mse, abs=1e-8)


@pytest.mark.parametrize(
    ("kappa0", "peak"), [("0.5", 2.97744), ("0.1", 10.4017), ("0.01", 95.497), ("0.001", 946.76)]
)
def test_height_of_the_peak(kappa0, peak):
    # theory.md section 8, T = 1 and noise = 1/2
    channel = LinearChannel("1/2")
    alpha = threshold("interpolation", kappa0=kappa0, noise="1/2", tokens=1, digits=17).alpha
    log_delta = balance_of(problem(alpha, kappa0, channel), own=0).peak()
    assert log_delta is not None
    a = float(alpha or 0)
    assert 2 * a * math.exp(2 * log_delta) - 0.25 == pytest.approx(peak, rel=1e-5)
    nearby = solve(problem(float(alpha or 0) * (1 - 1e-12), kappa0, channel), rtol=1e-2)
    assert nearby.mse == pytest.approx(peak, rel=1e-3)


def test_peak_of_two_tokens():
    # theory.md section 8
    alpha = threshold("interpolation", kappa0="1/2", noise="1/2", digits=17).alpha
    solution = solve(problem(alpha, channel=SoftmaxChannel(noise="1/2")), rtol=1e-3)
    assert solution.q == pytest.approx(4.977437991, abs=2e-7)
    assert solution.m == pytest.approx(1.75, abs=1e-8)
    assert solution.test_error_clean == pytest.approx(0.44163051, abs=1e-7)
    assert solution.test_error == pytest.approx(0.50109827, abs=1e-7)


def test_below_interpolation_tokens_enter_through_a():
    linear = solve(problem("0.2", channel=LinearChannel("1/2")))
    two = solve(problem("0.1", channel=SoftmaxChannel(noise="1/2")))
    three = solve(problem("0.04", channel=SoftmaxChannel(3, noise="1/2")))
    for key in ("q", "m", "mse", "delta", "epsilon", "rank_fraction", "replicon"):
        assert getattr(two, key) == pytest.approx(getattr(linear, key), rel=1e-11)
        assert getattr(three, key) == pytest.approx(getattr(linear, key), rel=1e-11)
    assert two.train_error == two.loss == 0
    assert two.mse == pytest.approx(2 * 0.2 * two.delta**2 - 0.25, rel=1e-11)
    assert "sigma" not in two.present()
    assert "sigma is infinite" in two.advice


def test_temperatures_scale_the_interpolator():
    plain = solve(problem("0.1", channel=SoftmaxChannel(noise="1/2")))
    hot = solve(problem("0.1", channel=SoftmaxChannel(beta="1/2", beta0="3/2", noise="1/2")))
    assert hot.eta == pytest.approx(3 * plain.eta, rel=1e-12)
    assert hot.q == pytest.approx(9 * plain.q, rel=1e-12)
    assert hot.mse == pytest.approx(hot.q - 2 * hot.m + 1.5, rel=1e-11)


@pytest.mark.parametrize(
    ("alpha", "kappa0", "noise"),
    [("0.2", "1/2", "1/2"), ("0.25", "0.1", "1/2"), ("0.5", "1/2", 1), ("0.4", "1/2", 0)],
)
def test_small_penalties_approach_the_limit(alpha, kappa0, noise):
    channel = LinearChannel(noise)
    limit = solve(problem(alpha, kappa0, channel))
    distances = [
        abs(solve(problem(alpha, kappa0, channel, Factorised(lam))).mse - limit.mse)
        for lam in ("1e-4", "1e-6", "1e-8")
    ]
    assert distances[0] > 5 * distances[1] > 25 * distances[2]
    assert distances[2] < 1e-4 * limit.mse


@pytest.mark.parametrize("channel", [LinearChannel(), SoftmaxChannel(), SoftmaxChannel(3, 2, 1)])
def test_recovery_is_exact_beyond_the_threshold(channel):
    alpha = float(0.43 / channel.label_rank)
    solution = solve(problem(alpha, channel=channel))
    scale = 0.5 if channel == SoftmaxChannel(3, 2, 1) else 1.0
    assert solution.eta == scale
    assert solution.mse == pytest.approx(1.5 * (1 - scale) ** 2)
    assert solution.q == pytest.approx(1.5 * scale**2)
    assert solution.rank_fraction == 0.5
    assert solution.test_error <= solution.error.test_error


def test_squared_error_vanishes_quadratically():
    # theory.md section 7: delta = (a_perf - a)/(2 A tau*)
    kappa0, a_perf = 0.5, 0.42217498218550571851
    tokens_one = threshold("perfect-recovery", kappa0="1/2", tokens=1, digits=20).alpha
    assert float(tokens_one or 0) == pytest.approx(a_perf, abs=1e-15)
    theta = _theta(kappa0)
    slope = 2 * (kappa0**1.5 / (1 - kappa0)) * 2 * math.sqrt(1 - kappa0) * math.cos(theta)
    for gap in (1e-4, 1e-6, 1e-8):
        solution = solve(problem(a_perf - gap), rtol=1e-3)
        assert solution.delta * slope / gap == pytest.approx(1, abs=10 * gap + 1e-6)
        # Also where both are far smaller than the rounding of q - 2m + Q0.
        assert solution.test_error == pytest.approx(2 * solution.mse, rel=1e-12)


def _theta(kappa0: float) -> float:
    from scipy.optimize import brentq

    def excess(t: float) -> float:
        return (math.tan(t) * (2 + math.cos(t) ** 2) / 3 - t) / math.pi - kappa0 / (1 - kappa0)

    return float(brentq(excess, 0.01, 1.57))  # type: ignore[arg-type]


def test_full_rank_target_jumps():
    kappa0 = 2
    jump = (kappa0**2 - 20 * kappa0 - 8 + kappa0**0.5 * (kappa0 + 8) ** 1.5) / (8 * kappa0)
    # The approach goes as the square root of the distance.
    for gap in (1e-6, 1e-8, 1e-10):
        below = solve(problem(0.5 - gap, kappa0), rtol=1e-2)
        assert 0 < below.mse / jump - 1 < 200 * gap**0.5
    assert solve(problem("0.5", kappa0)).mse == 0


def test_tiny_noise_is_close_to_none():
    quiet = solve(problem("0.4"))
    noisy = solve(problem("0.4", channel=LinearChannel("1e-12")))
    assert noisy.mse == pytest.approx(quiet.mse, abs=1e-10)
    between = solve(problem("0.43", channel=LinearChannel("1e-12")))
    assert 0 < between.mse < 1e-9
    with pytest.raises(BadInput, match=r"^noise "):
        solve(problem("0.4", channel=LinearChannel("1e-25")))


@pytest.mark.parametrize(
    ("alpha", "noise", "lam"),
    [("0.25", "1/2", "1e-10"), ("0.25", 0, "1e-10"), ("0.02", 0, "1e-2"), ("0.02", "1/2", "1e-2")],
)
def test_hard_points_of_small_rank(alpha, noise, lam):
    """faults row 2: decided by a recomputed residual."""
    solution = solve(problem(alpha, "0.01", LinearChannel(noise), Factorised(lam)))
    assert solution.status is Status.CONVERGED
    assert solution.residual < 1e-12
    misfit = solution.mse + float(solution.problem.channel.noise) / 2
    assert 2 * float(alpha) * solution.delta**2 == pytest.approx(misfit, rel=1e-12)
    assert solution.m_hat * (1 + 4 * solution.sigma) == pytest.approx(8 * float(alpha), rel=1e-9)


@settings(max_examples=12, deadline=None)
@given(
    alpha=st.floats(0.02, 2),
    lam=st.floats(1e-6, 5),
    kappa0=st.floats(0.02, 3),
    noise=st.one_of(st.just(0.0), st.floats(1e-6, 2)),
)
@example(alpha=0.13509727854162237, lam=4.5625, kappa0=2.0, noise=0.0)  # next to collapse
def test_linear_channel_always_converges(alpha, lam, kappa0, noise):
    of = problem(alpha, kappa0, LinearChannel(noise), Factorised(lam, 1))
    solution = solve(of)
    assert solution.status.ok
    system = StateEvolution.of(of)
    if solution.status is Status.COLLAPSED:
        return
    penalty = solution.loss - alpha * solution.train_error
    assert penalty >= 0
    import numpy as np

    x = np.log([solution.delta, solution.m_hat, solution.eta])
    assert system.free_energy(x, system.state(x), system.moments(system.state(x).overlaps, 0)) == (
        pytest.approx(solution.loss, rel=1e-6, abs=1e-13)
    )


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 1e-15])
def test_next_to_collapse(gap, rtol):
    """q vanishes as the 7/2 power of the distance, while the error stays that of S = 0."""
    of = problem("0.135", 2)
    largest = largest_penalty(of).lam

    def at(distance: float) -> Solution:
        return solve(problem("0.135", 2, estimator=Factorised(largest * (1 - distance))), rtol=rtol)

    solution, further = at(gap), at(1e-2)
    assert solution.mse == pytest.approx(3, abs=gap)
    assert solution.error.mse < 1e-12
    assert solution.error.loss < 1e-12
    law = further.q * (gap / 1e-2) ** 3.5
    assert abs(solution.q - law) < 0.03 * law + 100 * solution.error.q


def test_beyond_interpolation_one_token_is_the_limit_of_its_penalties():
    flat = {"alpha": "0.6", "kappa0": "0.5", "noise": "0.3", "tokens": 1}
    here, close = (solve(problem_from(**flat, lam=lam)) for lam in ("0", "1e-7"))
    for key in ("sigma", "sigma_hat", "m_hat", "q_hat", "loss", "train_error"):
        assert getattr(here, key) == pytest.approx(getattr(close, key), rel=1e-5)


def test_beyond_interpolation_the_family_solves_the_equations():
    of = problem("0.3", channel=SoftmaxChannel(noise="1/2"))
    system = StateEvolution.of(of)
    log_delta = balance_of(of, own=0).peak()
    assert log_delta is not None
    point = follow_from_peak(system, log_delta)
    assert point.residual < 1e-8
    state = system.state(point.x)
    assert state.epsilon == 0
    assert state.eta > 1
    assert state.overlaps.sigma > 1


@pytest.mark.slow
def test_beyond_interpolation_two_tokens():
    solution = solve(problem("0.25", channel=SoftmaxChannel(noise="1/2")), rtol=1e-2)
    # theory.md section 8: the squared error rises to about 3.65 near 0.22 and eta to 1.46
    assert solution.mse == pytest.approx(3.517, rel=2e-3)
    assert solution.eta == pytest.approx(1.464, rel=1e-3)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2, 0.24])
def test_direct_training_without_noise(alpha):
    # theory.md section 11: squared error Q0 (1 - 2a)
    solution = solve(problem(alpha, channel=SoftmaxChannel(), estimator=Direct(0)))
    assert solution.mse == pytest.approx(1.5 * (1 - 4 * alpha), rel=1e-12)
    small = solve(problem(2 * alpha, estimator=Direct("1e-9")))
    assert small.mse == pytest.approx(solution.mse, rel=1e-6)


def test_positive_direct_training_shares_the_interpolation_threshold():
    alpha = float(threshold("interpolation", kappa0="1/2", noise="1/2").alpha or 0)
    channel = SoftmaxChannel(noise="1/2")
    at = [
        solve(problem(alpha * (1 - 1e-7), channel=channel, estimator=e), rtol=1e-2)
        for e in (Factorised(0), DirectPSD(0))
    ]
    assert at[0].q == pytest.approx(at[1].q, rel=1e-4)
    below = [
        solve(problem(alpha / 2, channel=channel, estimator=e)).mse
        for e in (Factorised(0), DirectPSD(0))
    ]
    assert below[0] != pytest.approx(below[1], rel=0.01)


def test_unbounded_peak_is_refused():
    with pytest.raises(BadInput, match=r"^alpha "):
        solve(problem("1/2", channel=LinearChannel("1/2"), estimator=Direct(0)))


@pytest.mark.parametrize(
    ("estimator", "alpha", "expected"),
    [
        # theory.md section 11: kappa0 = 0.1, noise 1/2, T = 2, each at its best penalty
        (Direct("0.1"), "0.1", 0.314),
        (Direct("0.05"), "0.5", 0.155),
        (DirectPSD("0.05"), "0.5", 0.122),
    ],
)
def test_direct_training_against_the_reference(estimator, alpha, expected):
    channel = SoftmaxChannel(noise="1/2")
    solution = solve(problem(alpha, "0.1", channel, estimator), rtol=1e-4)
    assert solution.test_error == pytest.approx(expected, abs=1.1e-3)


def test_wide_students_are_not_limited():
    channel = LinearChannel("0.1")
    free = solve(problem("0.2", "0.3", channel, Factorised("0.05", "0.5")))
    limited = solve(problem("0.2", "0.3", channel, WidthLimited("0.05", "0.5")))
    assert limited.present() == pytest.approx(free.present(), rel=1e-12)


def test_narrow_students_keep_their_width():
    channel = LinearChannel("0.1")
    free = solve(problem("0.2", "0.3", channel, Factorised("0.05", "0.5")))
    losses = []
    for kappa in ("0.38", "0.2", "0.05"):
        lam = 0.05 * math.sqrt(0.5 / float(kappa))
        of = problem("0.2", "0.3", channel, WidthLimited(lam, kappa))
        solution = solve(of)
        assert solution.rank_fraction == pytest.approx(float(kappa), rel=1e-12)
        assert solution.mse == pytest.approx(solution.q - 2 * solution.m + 1.3, abs=1e-11)
        losses.append(solution.loss)
    # Less width can only raise the minimum at equal lam_tilde.
    assert free.loss < losses[0] < losses[1] < losses[2]


def test_truncated_derivative_in_delta():
    """J1 of the truncated denoiser is 4 delta int (x - eps) Re G over the kept part."""
    import numpy as np

    from attlas.solver.denoisers import Denoiser
    from attlas.solver.order_parameters import Conjugates
    from attlas.solver.spectrum import target_law

    law = target_law(Wishart("0.3"))
    matrix = Denoiser.of(WidthLimited("0.1", "0.15").penalty, law)
    state = matrix.state(Conjugates(q_hat=0.49, m_hat=1.0, sigma_hat=1.0))
    noisy = law.noisy(0.7)
    cut = float(noisy.quantile(0.85))
    nodes = noisy.nodes(cut)
    kept = nodes.x - state.epsilon
    assert cut > state.epsilon
    assert state.overlaps.q == pytest.approx(float(np.sum(nodes.w * kept**2)), rel=1e-11)
    assert state.overlaps.sigma == pytest.approx(
        2 * float(np.sum(nodes.w * kept * nodes.hilbert)), rel=1e-11
    )


def test_just_beyond_the_peak_the_error_bars_cover_the_distance():
    alpha = float(threshold("interpolation", kappa0="1/2", noise="1/2", digits=17).alpha or 0)
    channel = SoftmaxChannel(noise="1/2")
    beyond = problem(alpha * (1 + 1e-4), channel=channel)
    assert solve(beyond, rtol=1e-6, raise_on_failure=False).status is Status.INACCURATE
    solution = solve(beyond)
    assert solution.q == pytest.approx(4.977437991, abs=1e-6)
    # On the family, delta falls by about 1.3 times the relative distance.
    assert solution.error.delta > 2 * 1.3e-4 * solution.delta
    assert solution.error.train_error > 0
