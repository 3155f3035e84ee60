"""The population flow against its reference table, against the matrix ODE, and closed forms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from scipy.integrate import solve_ivp

import attlas
from attlas.cli.main import main
from attlas.model.errors import ComputationFailed
from attlas.solver.dynamics.modes import target_modes

TIMES = (1, 2, 4, 8)
#: (q, m, e) at kappa0 = 1/2, sigma0 = 0.01, without and with weight decay.
TABLE = {
    0: (
        (0.1088454418, 0.3562988131, 0.1930636736),
        (0.5678943121, 0.8919805180, 0.0492033723),
        (1.1033519190, 1.2791850826, 0.00766914968),
        (1.4190988648, 1.4581193386, 0.000666569842),
    ),
    "0.02": (
        (0.1047395695, 0.3486224034, 0.1964452118),
        (0.5437745429, 0.8714075456, 0.0521798348),
        (1.0252712226, 1.2322393765, 0.00952262569),
        (1.2738026795, 1.3810961864, 0.00153016712),
    ),
}


def problem(
    tokens=2, target=None, noise: float = 0, beta: float = 1, beta0: float = 1, **estimator
):
    channel = (
        attlas.LinearChannel(noise)
        if tokens == 1
        else attlas.SoftmaxChannel(tokens=tokens, beta=beta, beta0=beta0, noise=noise)
    )
    return attlas.Problem(
        alpha=1,
        target=target or attlas.Wishart("1/2"),
        channel=channel,
        estimator=attlas.Factorised(**{"lam": 0, **estimator}),
    )


@pytest.mark.parametrize("decay", TABLE)
def test_the_reference_table(decay):
    found = attlas.dynamics(problem(), TIMES, decay=decay)
    expected = np.array(TABLE[decay])
    assert found.q == pytest.approx(expected[:, 0], rel=2e-9)
    assert found.m == pytest.approx(expected[:, 1], rel=2e-9)
    assert found.error == pytest.approx(expected[:, 2], rel=3e-9)
    assert found.status.ok
    for key in ("q", "m", "mse", "error"):
        assert np.all(getattr(found.error_bars, key) < 1e-8 * getattr(found, key))


def loss_of(w, s0, noise, beta, beta0, nodes):
    """e(q, m) at S = W W^T, by Gauss-Hermite quadrature, differentiable in W."""
    d = len(s0)
    s = w @ w.T
    q, m = torch.trace(s @ s) / d, torch.trace(s @ s0) / d
    signal = torch.trace(s0 @ s0) / d + noise / 2
    a, b, weight = nodes
    u0 = torch.sqrt(3 * signal) * a
    u = (m / torch.sqrt(signal) * a + torch.sqrt(q - m * m / signal) * b) * 3**0.5
    return 4 * torch.sum(weight * (torch.sigmoid(beta0 * u0) - torch.sigmoid(beta * u)) ** 2)


def test_the_matrix_ode_with_automatic_derivatives():
    """No modes, no formula for a slope: all d^2 entries of W, from the loss alone."""
    d, sigma0, decay, noise, beta, beta0 = 4, 0.05, 0.03, 0.4, 1.2, 0.9
    eigenvalues = (1.7, 1.1, 0.4, 0.0)
    rotation = np.linalg.qr(np.random.default_rng(3).standard_normal((d, d)))[0]
    s0 = torch.tensor(rotation @ np.diag(eigenvalues) @ rotation.T)
    x, weight = np.polynomial.hermite_e.hermegauss(70)
    weight = torch.tensor(np.multiply.outer(weight, weight) / weight.sum() ** 2)
    nodes = (torch.tensor(x)[:, None], torch.tensor(x)[None, :], weight)

    def speed(_, flat):
        w = torch.tensor(flat.reshape(d, d), requires_grad=True)
        value = loss_of(w, s0, noise, beta, beta0, nodes) + decay * torch.sum(w * w) / d
        (slope,) = torch.autograd.grad(value, w)
        return -d / 2 * slope.numpy().ravel()

    times = [1.0, 3.0, 9.0]
    path = solve_ivp(
        speed, (0, 9), sigma0**0.5 * np.eye(d).ravel(), t_eval=times, rtol=1e-9, atol=1e-11
    )
    maps = [w.reshape(d, d) @ w.reshape(d, d).T for w in path.y.T]
    target = attlas.Atoms(eigenvalues)
    p = problem(target=target, noise=noise, beta=beta, beta0=beta0)
    found = attlas.dynamics(p, times, sigma0=sigma0, decay=decay)
    assert found.q == pytest.approx([np.sum(s * s) / d for s in maps], rel=1e-6)
    assert found.m == pytest.approx([np.sum(s * s0.numpy()) / d for s in maps], rel=1e-6)
    for row, s in zip(found.learned_eigenvalues, maps, strict=True):
        assert row == pytest.approx(np.linalg.eigvalsh(s)[::-1], rel=1e-6, abs=1e-8)


def test_one_token_is_a_logistic_curve_per_mode():
    target = attlas.PowerLaw("1.25", 400, 1)
    c, start, t = 0.1, 0.01, np.array([0.05, 0.3, 2.0, 200.0])
    found = attlas.dynamics(problem(1, target), t, sigma0=start, decay="0.1")
    growth = 4 * found.target_eigenvalues - c  # of W; S grows at twice that
    rest = growth / 4
    exact = rest / (1 + (rest / start - 1) * np.exp(-2 * np.multiply.outer(t, growth)))
    assert found.learned_eigenvalues == pytest.approx(exact, rel=1e-8, abs=1e-300)
    escape = np.log(rest[rest > 2 * start] / start - 1) / (2 * growth[rest > 2 * start])
    assert found.escape_times[rest > 2 * start] == pytest.approx(escape, rel=1e-8)
    assert np.all(np.isnan(found.escape_times[rest < 0]))
    assert found.stats.evaluations < 100  # learned modes do not bound the steps
    assert found.status.ok


def test_four_hundred_modes_of_two_tokens_take_few_evaluations():
    found = attlas.dynamics(
        problem(target=attlas.PowerLaw("1.25", 400, 1)), np.linspace(0, 20, 101)
    )
    assert found.status.ok
    assert found.stats.modes == 400
    assert found.stats.evaluations < 2000
    learned = found.escape_times[found.target_eigenvalues > 0.5]
    assert np.all(np.diff(learned) > 0)


def test_error_bars_do_not_understate():
    for tokens in (1, 2, 3):
        rough = attlas.dynamics(problem(tokens), TIMES, rtol=1e-3, step="0.0625")
        fine = attlas.dynamics(problem(tokens), TIMES, step="0.0625")
        for key, bar in rough.error_bars._given():
            off = np.abs(getattr(rough, key) - getattr(fine, key))
            assert np.all(np.nan_to_num(off - bar - fine.error_bars.__dict__[key]) <= 0), key


def test_descent_approaches_the_flow_in_proportion_to_its_step():
    steps = (0.02, 0.01)
    off = [
        np.asarray(found.q_discrete) - found.q
        for found in (attlas.dynamics(problem(), TIMES, step=step) for step in steps)
    ]
    assert off[0] / off[1] == pytest.approx([2, 2, 2, 2], rel=0.05)
    moved = attlas.dynamics(problem(1), [0.26], step=0.1)
    assert moved.t == pytest.approx([0.3])
    with pytest.raises(ComputationFailed, match="diverges"):
        attlas.dynamics(problem(1), [50], step=1)


def test_sampled_slopes_agree_with_exact_ones_within_their_bars():
    found = attlas.dynamics(problem(4), [1, 4], rtol=0.05)
    three = attlas.dynamics(problem(3), [1, 4])
    two = attlas.dynamics(problem(2), [1, 4])
    assert np.all(found.error_bars.q > 1e-5)
    # More tokens say more about the scores.
    assert np.all(np.diff([two.q, three.q, found.q], axis=0) > 0)


def test_modes_of_a_wishart_target_are_a_gauss_rule():
    kappa0 = 0.3
    for modes in target_modes(attlas.Wishart("3/10")):
        moments = [modes.mean(modes.s**k) for k in range(4)]
        third = kappa0**-1.5 * (kappa0 + 3 * kappa0**2 + kappa0**3)
        assert moments == pytest.approx([1, kappa0**0.5, 1 + kappa0, third], rel=1e-12)
        # All nodes at 0 share the atom there.
        assert np.sum(modes.weight[modes.s < 1e-6]) == pytest.approx(0.7, rel=1e-10)


def test_a_spike_is_followed_without_weight():
    plain = attlas.dynamics(problem(target=attlas.Wishart("1/10")), TIMES)
    spiked = attlas.dynamics(problem(target=attlas.Spiked([9], attlas.Wishart("1/10"))), TIMES)
    assert spiked.q == pytest.approx(plain.q, rel=1e-8)
    assert spiked.target_eigenvalues[0] == 9
    assert spiked.escape_times[0] < np.nanmin(plain.escape_times)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"t": []}, "t = "),
        ({"t": [0]}, "t = "),
        ({"t": [-1]}, "t = -1"),
        ({"sigma0": 0}, "sigma0 = 0"),
        ({"decay": -1}, "decay = -1"),
        ({"step": 0}, "step = 0"),
        ({"step": 1e-9}, "step = "),
        ({"step": 9}, "step = "),
        ({"rtol": 1}, "rtol = 1"),
    ],
)
def test_bad_numbers_are_refused(change, named):
    with pytest.raises(attlas.BadInput, match=named):
        attlas.dynamics(problem(), **{"t": [1], **change})


def test_problems_without_a_flow_are_refused():
    with pytest.raises(attlas.BadInput, match="kappa"):
        attlas.dynamics(problem(kappa="1/2"), [1])
    for estimator in (attlas.Direct(lam=0), attlas.DirectPSD(lam=0), attlas.BayesOptimal()):
        with pytest.raises(attlas.BadInput, match="training"):
            attlas.dynamics(problem().with_(estimator=estimator), [1])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table, picture = tmp_path / "flow.parquet", tmp_path / "flow.svg"
    line = "dynamics --kappa0 0.5 --sigma0 0.01 --decay 0.02 --t 1,2,4,8 --step 0.5 --json"
    assert main([*line.split(), "--out", str(table), "--plot", str(picture)]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert result["q"] == pytest.approx([row[0] for row in TABLE["0.02"]], rel=2e-9)
    stored = pq.read_table(table).to_pydict()
    assert stored["t"] == [1, 2, 4, 8]
    assert stored["m"] == result["m"]
    assert stored["learned_eigenvalues"] == result["learned_eigenvalues"]
    assert "gradient descent" in picture.read_text("utf-8")
    for wrong in ("--alpha 1", "--lam 0.1", "--training bayes", "--training direct", "--decay x"):
        assert main(["dynamics", "--kappa0", "0.5", "--t", "1", *wrong.split()]) == 2
        said = capsys.readouterr()
        assert not said.out
        assert wrong.split()[0] in said.err
