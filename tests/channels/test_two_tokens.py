"""The two-token kernel against definitions, symmetries and independent integration."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from attlas.solver.channels.kernel import MOMENT_KEYS
from attlas.solver.channels.two_tokens.fields import FieldModel, Samples
from attlas.solver.channels.two_tokens.kernel import TwoTokenKernel, _by_lines
from attlas.solver.channels.two_tokens.lattice import Fineness, lattice
from attlas.solver.channels.two_tokens.lines import global_minima, integrate
from attlas.solver.channels.two_tokens.proximal import logistic
from attlas.solver.channels.two_tokens.scores import THEORY, ScorePair
from attlas.solver.order_parameters import Overlaps

KERNEL = TwoTokenKernel(beta=1.0, beta0=1.0, noise=0.0)
BASE = (0.835242, 1.057498, 9.67856, 1.5)
#: Points where the proximal operator jumps for a few samples in a thousand and in a hundred.
JUMPS = (3.0, 1.6, 3.0, 2.0)
LARGE_SIGMA = (4.9, 1.75, 400.0, 1.75)


def moments(q, m, sigma, signal, level=3, kernel=KERNEL):
    return kernel.moments(Overlaps(q, m, sigma), signal, level)


def field_model(q, m, sigma, signal, beta=1.0, beta0=1.0):
    return FieldModel.at(Overlaps(q, m, sigma), signal, beta, beta0, THEORY)


def random_samples(count, seed=0):
    rng = np.random.default_rng(seed)
    label = THEORY.unwhiten(*rng.standard_normal((2, count)))
    return label, THEORY.unwhiten(*rng.standard_normal((2, count)))


@pytest.mark.parametrize(
    "point",
    [BASE, (1.2, 1.3, 0.5, 1.75), JUMPS, (0.3, 0.3, 0.1, 1.5), LARGE_SIGMA, (20.0, 5.0, 5.0, 2.0)],
)
@pytest.mark.parametrize("beta0", [1.0, 2.0])
def test_proximal_point_is_the_global_minimum(point, beta0):
    """Against a grid of starts in a box that holds every minimum, polished."""
    model = field_model(*point, beta0=beta0)
    label, field = random_samples(400)
    problem = model.problem(label, field)
    found = problem.objective(global_minima(model, label, field)[0])
    edge = np.maximum(np.abs(problem.omega), np.abs(beta0 * model.root_signal * label)) + 1.0
    best = np.full(found.size, np.inf)
    for first in np.linspace(-1, 1, 21):
        for second in np.linspace(-1, 1, 21):
            start = edge * np.array([[first], [second]])
            best = np.minimum(best, problem.objective(start))
    # No grid point is below the proximal point, and a polish from the best does not go below.
    assert np.all(found <= best + 1e-12)
    for first in (-0.9, -0.3, 0.3, 0.9):
        for second in (-0.9, -0.3, 0.3, 0.9):
            polished = problem.solve(edge * np.array([[first], [second]]))
            assert np.all(found <= problem.objective(polished) + 1e-10)


def test_proximal_point_against_scipy():
    model = field_model(*JUMPS)
    label, field = random_samples(20, seed=3)
    h, _ = global_minima(model, label, field)
    y = logistic(model.root_signal * label)
    omega = model.slope * label + model.spread * field
    precision = np.linalg.inv(np.array([[3.0, 1.0], [1.0, 3.0]]))
    for k in range(20):

        def objective(x, k=k):
            away = x - omega[:, k]
            misfit = 2 * np.sum((y[:, k] - 1 / (1 + np.exp(-x))) ** 2)
            return misfit + away @ precision @ away / (2 * model.sigma)

        starts = (omega[:, k], model.root_signal * label[:, k])
        best = min((minimize(objective, s, tol=1e-12) for s in starts), key=lambda r: r.fun)
        assert h[:, k] == pytest.approx(best.x, abs=2e-5)


def test_lines_agree_with_the_lattice_where_the_operator_is_smooth():
    """Forced onto all lines, the integration over u + v gives what the lattice gives."""
    model = field_model(1.2, 1.3, 0.9, 1.75)
    nodes = lattice(Fineness(0.4, 0.4, 6.0), 1.0, THEORY)
    means, two_minima = integrate(nodes, model, tolerance=1e-12, share=0.0)
    assert means == pytest.approx(model.means(nodes), rel=2e-7)
    assert two_minima == 0


def test_a_line_with_jumps_against_small_steps_along_it():
    """Proximal points at 40 000 places of each line, the lines whose points jump most."""
    model = field_model(*LARGE_SIGMA)
    nodes = lattice(Fineness(0.7, 0.7, 5.6), math.sqrt(3 * 1.75), THEORY)
    _, several = global_minima(model, nodes.label, nodes.field)
    jumping = np.bincount(nodes.line, nodes.weights * several)
    for number in np.argsort(jumping)[-3:]:
        line = nodes.part(nodes.line == number)
        line = replace(line, line=line.line - number)
        reach = line.position[-1] + 0.5 * (line.position[-1] - line.position[-2])
        t = reach * (2 * (np.arange(40_000) + 0.5) / 40_000 - 1)
        weight = np.exp(-0.5 * t * t) * line.weights.sum() / np.sum(np.exp(-0.5 * t * t))
        label = np.repeat(line.label[:, :1], t.size, axis=1)
        base = line.field[:, :1] - THEORY.axes[0] * line.position[0]
        field = base + THEORY.axes[0] * t
        samples = Samples(label, field, weight, model.problem(label, field))
        points, _ = global_minima(model, label, field)
        jumps = np.abs(np.diff(points.sum(axis=0)))
        assert jumps.max() > 0.5
        expected = model.integrands(samples, points) @ weight
        found, _ = integrate(line, model, tolerance=1e-9)
        assert found[:5] == pytest.approx(expected[:5], rel=2e-4)


@pytest.mark.parametrize(
    ("point", "level", "tolerance"),
    [(BASE, 3, 2e-6), ((1.2, 1.3, 0.5, 1.75), 3, 2e-6), (JUMPS, 2, 5e-4), (LARGE_SIGMA, 3, 1e-3)],
)
def test_derivatives_are_those_of_the_energy(point, level, tolerance):
    q, m, sigma, signal = point
    found = moments(*point, level=level)
    for place, value in enumerate((found.d_q, found.d_m, found.d_sigma)):
        step = 1e-3 * (q, m, sigma)[place]

        def energy(shift, place=place):
            moved = [q, m, sigma]
            moved[place] += shift
            return moments(moved[0], moved[1], moved[2], signal, level=level).energy

        slope = (8 * (energy(step) - energy(-step)) - energy(2 * step) + energy(-2 * step)) / (
            12 * step
        )
        assert slope == pytest.approx(value, rel=tolerance)


@pytest.mark.parametrize("point", [(0.2, 0.2, 1.0, 0.3), (0.15, 0.1, 5.0, 0.4)])
def test_against_gauss_hermite(point):
    """At small overlaps, where Gauss-Hermite nodes converge quickly."""
    model = field_model(*point)
    x, w = np.polynomial.hermite_e.hermegauss(20)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(x, x, x, x, indexing="ij")])
    weight = np.prod([axis.ravel() for axis in np.meshgrid(w, w, w, w, indexing="ij")], axis=0)
    kept = weight > 1e-12
    grid, weight = grid[:, kept], weight[kept] / (2 * np.pi) ** 2
    label, field = THEORY.unwhiten(grid[0], grid[1]), THEORY.unwhiten(grid[2], grid[3])
    samples = Samples(label, field, weight, model.problem(label, field))
    expected = model.integrands(samples, global_minima(model, label, field)[0]) @ weight
    found = moments(*point, level=4)
    values = [getattr(found, key) for key in (*MOMENT_KEYS[:6], "d_own", "d_shared")]
    assert values == pytest.approx(list(expected), rel=3e-6)


def test_levels_converge():
    """Each level is closer to the finest of the list than the one before, down to 1e-7."""
    for point, last in ((BASE, 1e-7), (JUMPS, 3e-5)):
        reference = moments(*point, level=5)
        errors = [
            max(
                abs(getattr(moments(*point, level=level), key) / getattr(reference, key) - 1)
                for key in ("energy", "d_sigma", "d_m", "d_q")
            )
            for level in (1, 2, 3, 4)
        ]
        assert errors[3] < last
        assert errors[3] < errors[1] < errors[0]


def test_symmetries_of_the_lattice():
    """A quarter of the nodes stands for all: the full lattice gives the same."""
    model = field_model(*BASE)
    nodes = lattice(Fineness(0.7, 0.7, 4.5), 1.0, THEORY)
    found = model.integrands(
        Samples.on(nodes, model), global_minima(model, nodes.label, nodes.field)[0]
    )
    quarter = found @ nodes.weights
    swapped = -nodes.label[::-1], -nodes.field[::-1]
    for label, field in (swapped, (-nodes.label, -nodes.field)):
        samples = Samples(label, field, nodes.weights, model.problem(label, field))
        mirrored = model.integrands(samples, global_minima(model, label, field)[0]) @ nodes.weights
        assert mirrored == pytest.approx(quarter, rel=1e-12)


def test_units():
    """Halving beta and beta0 while doubling all scores changes nothing but units."""
    q, m, sigma, signal = BASE
    half = TwoTokenKernel(beta=0.5, beta0=0.5, noise=0.0)
    here, there = moments(*BASE), moments(4 * q, 4 * m, 4 * sigma, 4 * signal, kernel=half)
    assert there.energy == pytest.approx(here.energy, rel=1e-12)
    for key in ("d_q", "d_m", "d_sigma"):
        assert 4 * getattr(there, key) == pytest.approx(getattr(here, key), rel=1e-11)


def test_zero_sigma_is_the_loss_at_the_field():
    found = moments(0.8, 0.9, 0.0, 1.5)
    model = field_model(0.8, 0.9, 0.0, 1.5)
    nodes = lattice(Fineness(0.52, 0.52, 6.2), 1.0, THEORY)
    omega = model.slope * nodes.label + model.spread * nodes.field
    miss = logistic(model.root_signal * nodes.label) - logistic(omega)
    loss = 2 * float(np.sum(miss**2, axis=0) @ nodes.weights)
    assert found.energy == pytest.approx(loss, rel=1e-5)
    assert found.train_error == pytest.approx(found.energy, rel=1e-12)
    assert found.d_sigma < 0
    errors = KERNEL.test_errors(0.8, 0.9, 1.5)
    assert errors.clean == pytest.approx(found.energy, rel=1e-5)


def test_little_spread_is_the_limit():
    """q -> m^2/Q: the envelope forms stay finite and continuous."""
    m, signal = 1.0, 1.5
    near = [moments(m * m / signal + gap, m, 0.5, signal) for gap in (1e-4, 1e-6, 0.0)]
    for key in ("energy", "d_sigma", "d_m", "d_q"):
        a, b, c = (getattr(value, key) for value in near)
        assert b == pytest.approx(c, rel=1e-4)
        assert abs(b - c) < abs(a - c) + 1e-9


def test_no_overlap():
    """q -> 0: the field carries nothing, and the mean loss at h = 0 bounds the energy."""
    found = moments(1e-12, 0.0, 1.0, 1.5)
    at_zero = KERNEL.test_errors(0.0, 0.0, 1.5).clean
    assert 0 < found.energy < at_zero
    assert found.d_q > 0


@pytest.mark.parametrize("sigma", [1e3, 1e5, 1e8])
def test_large_sigma_interpolates(sigma):
    """Below interpolation g -> C^-1 (z0 - omega)/sigma: closed forms for all moments.

    Saturated labels make the approach slower than 1/sigma.
    """
    q, m, signal = 1.2, 1.1, 1.5
    found = moments(q, m, sigma, signal, level=4)
    # E (z0 - omega)^T C^-1 (z0 - omega) = 2 (Q - 2m + q), two components.
    misfit = 2 * (signal - 2 * m + q)
    accuracy = 3 / math.sqrt(sigma)
    assert 2 * sigma * found.energy == pytest.approx(misfit, rel=accuracy)
    assert -2 * sigma**2 * found.d_sigma == pytest.approx(misfit, rel=accuracy)
    assert sigma * found.d_q == pytest.approx(1.0, rel=accuracy)
    assert sigma * found.d_m == pytest.approx(-2.0, rel=accuracy)


def test_sharp_labels():
    """beta0 = 50: almost one-hot labels, close to the limit of a step, and finite."""
    sharp = TwoTokenKernel(beta=1.0, beta0=50.0, noise=0.0)
    coarse, fine = (moments(0.8, 0.9, 2.0, 1.5, level=level, kernel=sharp) for level in (1, 2))
    for key in ("energy", "d_sigma", "d_m", "d_q", "train_error"):
        assert math.isfinite(getattr(fine, key))
        assert getattr(coarse, key) == pytest.approx(getattr(fine, key), rel=2e-3)
    sharper = TwoTokenKernel(beta=1.0, beta0=500.0, noise=0.0)
    limit = moments(0.8, 0.9, 2.0, 1.5, level=2, kernel=sharper)
    assert limit.energy == pytest.approx(coarse.energy, rel=4e-2)
    assert 0 < sharp.test_errors(0.8, 0.9, 1.5).clean < 4


def test_another_covariance():
    """With C = [[2, 1], [1, 2]] the derivatives are still those of the energy."""
    kernel = TwoTokenKernel(beta=1.0, beta0=1.0, noise=0.0, pair=ScorePair(diagonal=2.0))
    point = (0.8, 0.9, 3.0, 1.5)
    found = moments(*point, kernel=kernel)

    def energy(q, m, sigma, signal):
        return moments(q, m, sigma, signal, kernel=kernel).energy

    step = 3e-3
    for place, value in ((0, found.d_q), (1, found.d_m), (2, found.d_sigma)):
        up, down = list(point), list(point)
        up[place] += step
        down[place] -= step
        slope = energy(*up) - energy(*down)
        assert slope / (2 * step) == pytest.approx(value, rel=2e-4)
    assert found.energy != pytest.approx(moments(*point).energy, rel=1e-3)


def test_probability_of_two_minima_against_counting():
    """Against the share of random samples whose problem has more than one minimum."""
    model = field_model(*LARGE_SIGMA)
    label, field = random_samples(20000, seed=5)
    problem = model.problem(label, field)
    omega, fits = problem.omega, model.root_signal * label
    starts = [omega, fits, np.stack([omega[0], fits[1]]), np.stack([fits[0], omega[1]])]
    values = np.stack([problem.objective(problem.solve(start)) for start in starts])
    share = np.mean(np.ptp(values, axis=0) > 1e-8)
    error = math.sqrt(share / 20000)
    found = moments(*LARGE_SIGMA, level=3).multi_minima_weight
    assert found == pytest.approx(share, abs=4 * error)
    assert moments(1.2, 1.3, 0.5, 1.75).multi_minima_weight == 0


def test_weight_of_two_minima_counts_every_node_that_has_them():
    """Sharp labels and a large variance: some nodes have minima that only mixed starts reach."""
    kernel = TwoTokenKernel(beta=1.0, beta0=3.0, noise=0.0)
    point, signal, level = Overlaps(q=1.5, m=0.2, sigma=20.0), 1.55, 3
    found = kernel.moments(point, signal, level).multi_minima_weight
    nodes = kernel._lattice(signal, level)
    model = FieldModel.at(point, signal, 1.0, 3.0, kernel.pair)
    _, several = global_minima(model, nodes.label, nodes.field)
    assert found == pytest.approx(float(nodes.weights[several].sum()), rel=1e-3)
    # Random samples: 0.00296(9) of 400 000 from five starts each, 0.00343(29) of 40 000 from 15.
    assert found == pytest.approx(0.0030, abs=3e-4)


@given(
    st.floats(0.05, 4), st.floats(0, 0.98), st.floats(-3, 4), st.floats(0.8, 2.5), st.floats(-1, 1)
)
@settings(max_examples=15, deadline=None)
def test_bounds(q, correlation, log_sigma, signal, log_beta):
    """Inequalities that hold for every Moreau envelope."""
    sigma, beta = 10**log_sigma, 2**log_beta
    m = correlation * math.sqrt(q * signal)
    kernel = TwoTokenKernel(beta=beta, beta0=1.0, noise=0.0)
    found = moments(q, m, sigma, signal, level=2, kernel=kernel)
    assert all(math.isfinite(getattr(found, key)) for key in MOMENT_KEYS)
    assert 0 <= found.train_error <= found.energy <= 4
    # M = loss + sigma |grad|^2/2 and dM/dsigma = -|grad|^2/2.
    assert found.energy == pytest.approx(found.train_error - sigma * found.d_sigma, rel=1e-12)
    assert found.response >= 0
    assert 0 <= found.multi_minima_weight < 2
    # The envelope is below the loss at the field.
    assert found.energy <= kernel.test_errors(q, m, signal).clean * (1 + 1e-3)


def test_an_interruption_of_compiled_code_is_one(monkeypatch):
    def interrupted(*_):
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("attlas.solver.channels.two_tokens.lines.integrate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _by_lines(None, None, 1e-6)  # type: ignore[arg-type]
