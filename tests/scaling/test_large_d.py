"""Power laws with very many eigenvalues: groups against all of them, first order against exact."""

from __future__ import annotations

import cmath
import json
import math

import numpy as np
import pytest
from scipy.integrate import quad

from attlas.cli.main import main
from attlas.model import Factorised, LinearChannel, PowerLaw, Problem
from attlas.solver.ridgeless.route import balance_of
from attlas.solver.scaling.routes import compare_routes
from attlas.solver.spectrum import AtomsTargetLaw, GroupedTargetLaw, power_modes, target_law
from attlas.solver.spectrum.first_order import Series, angle, middle, semicircle
from attlas.solver.spectrum.integrals import NAMES
from attlas.solver.spectrum.power_law_large import first_order

POINTS = [(delta, e) for delta in (5.0, 1.0, 0.3, 0.05) for e in (0.3, 1.95, 2.5)]


@pytest.mark.parametrize("gamma", [0.75, 1.25, 2])
def test_groups_agree_with_every_eigenvalue_within_their_bars(gamma: float) -> None:
    target = PowerLaw(gamma, 2000)
    every, groups = AtomsTargetLaw(target.eigenvalues), GroupedTargetLaw(power_modes(target))
    assert groups.q0 == pytest.approx(every.q0, rel=1e-13)
    assert groups.mean == pytest.approx(every.mean, rel=1e-13)
    for delta, e in POINTS:
        exact = every.noisy(delta).truncated(e * delta)
        found = groups.noisy(delta).truncated(e * delta)
        for name in NAMES:
            bar = getattr(found, f"{name}_error") + getattr(exact, f"{name}_error")
            assert abs(getattr(found, name) - getattr(exact, name)) <= bar, (delta, e, name)
            if name in ("j", "squared_error"):
                assert bar < 1e-4 * getattr(exact, name)


@pytest.mark.parametrize("e", [0.3, 1.99, 2.5])
@pytest.mark.parametrize("y", [0.1, 0.95, 1.2, 7.0])
def test_response_of_one_eigenvalue_is_the_spectral_shift(y: float, e: float) -> None:
    """d times the change of J is 2 int (x - e) shift, shift = arg(1 - y g)/pi in the bulk."""

    def shift(psi: float) -> float:
        return cmath.phase(1 - y * cmath.exp(-1j * psi)) / math.pi

    expected = quad(
        lambda psi: 4 * math.sin(psi) * (2 * math.cos(psi) - e) * shift(psi),
        1e-12, angle(e), epsabs=1e-13,
    )[0]  # fmt: skip
    if y > 1 and y + 1 / y > max(e, 2):
        expected += (y + 1 / y - e) ** 2 - max(2 - e, 0) ** 2
    found = middle(e, np.array([y]), np.ones(1))
    assert found.j == pytest.approx(expected, abs=1e-10)
    series = Series(e)
    if y < 0.2:
        other = series.small(y ** np.arange(25.0))
    elif y > 5:
        other = series.large(np.array([y]), np.ones(1))
    else:
        return
    for key in ("j", "j2", "strength", "mass", "mse"):
        assert getattr(other, key) == pytest.approx(getattr(found, key), abs=1e-11)


def test_semicircle() -> None:
    half = semicircle(0.0)
    assert (half.j, half.mass) == pytest.approx((0.5, 0.5), rel=1e-14)
    assert half.j2 == pytest.approx(-8 / (3 * math.pi), rel=1e-13)


def test_first_order_is_exact_as_d_grows_and_says_how_far_off_it_is() -> None:
    """The difference falls as 1/d at a fixed noise level, and is inside the bar."""
    differences = []
    for d in (500, 5000, 10**8):
        law = GroupedTargetLaw(power_modes(PowerLaw("1.25", d)))
        found = first_order(law, 1.0, 1.5)
        differences.append(abs(found.j1 / law.noisy(1.0).truncated(1.5).j1 - 1))
        assert found.j1_error >= differences[-1] * found.j1 * 0.99
    assert differences[0] < 5e-3
    assert differences[1] < 0.4 * differences[0]
    assert differences[2] < 1e-6


def test_ten_billion_eigenvalues_are_never_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(_: PowerLaw) -> None:
        raise AssertionError

    monkeypatch.setattr(PowerLaw, "eigenvalues", property(listed))
    problem = Problem(
        n=10**13,
        target=PowerLaw("1.25", 10**10),
        channel=LinearChannel(noise="0.1"),
        estimator=Factorised(lam="0.0004"),
    )
    balance = balance_of(problem, own=1)
    root = balance.solve()
    assert np.max(np.abs(root.defect)) < 1e-6
    assert root.x_error[0] < 1e-4


def test_the_route_is_chosen_by_the_number_of_eigenvalues() -> None:
    assert isinstance(target_law(PowerLaw(1, 2000)), AtomsTargetLaw)
    large = target_law(PowerLaw(1, 2001, q0=2))
    assert isinstance(large, GroupedTargetLaw)
    assert large.q0 == pytest.approx(2, rel=1e-13)


def test_routes_agree_where_they_promise_to() -> None:
    """Groups within their bars at d = 200; the first order ever better as fewer modes of more."""
    (one,) = compare_routes(PowerLaw("1.25", 200), 0.1, n=[200000.0])
    off, bar = one.difference("grouped")
    assert abs(off) < bar < 1e-4
    assert one.exact is not None
    far = []
    for d in (200, 10**6):
        (one,) = compare_routes(PowerLaw(2, d), 0.1, n=[10.0 * d])
        far.append(abs(one.difference("first_order")[0]))
    assert far[0] < 1e-3
    assert far[1] < 1e-5


def test_first_order_fails_where_all_modes_are_recovered() -> None:
    """So that agreement elsewhere means something."""
    (one,) = compare_routes(PowerLaw("0.75", 200), 0.1, n=[2e6])
    assert one.modes == 200
    assert one.difference("first_order")[0] > 0.05


def test_routes_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--target", "power-law:gamma=2,d=50", "--noise", "1", "--n", "500", "--json"]
    assert main(["scaling", "--compare-routes", *flags]) == 0
    (row,) = json.loads(capsys.readouterr().out)["result"]["routes"]
    off = row["grouped"]["value"] / row["exact"]["value"] - 1
    assert row["differences"]["grouped"]["relative"] == pytest.approx(off, abs=1e-15)
    for flags, reason in (
        (["--target", "power-law:gamma=2,d=5"], "20 or more"),
        (["--target", "power-law:gamma=2,d=50", "--lam", "0"], "--lam"),
        (["--target", "power-law:gamma=2,d=50", "--lam", "1,2"], "one penalty"),
        (["--target", "power-law:gamma=2,d=50", "--n", "-4"], "--n"),
        (["--target", "power-law:gamma=2,d=50", "--noise", "0"], "--noise"),
        (["--target", "wishart:kappa0=0.5"], "power-law"),
    ):
        assert main(["scaling", "--compare-routes", *flags]) == 2
        assert reason in capsys.readouterr().err
