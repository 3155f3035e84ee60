"""Slopes of the population loss: derivatives of its value, whatever the channel and sharpness."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import LinearChannel, SoftmaxChannel
from attlas.solver.channels import PopulationKernel, channel_kernel
from attlas.solver.channels.many_tokens.row_agreement import squared_distance
from attlas.solver.channels.many_tokens.row_expansion import ExpandedRow
from attlas.solver.channels.many_tokens.row_sampling import SampledRow

CHANNELS = {
    "linear": LinearChannel(0.3),
    "two tokens": SoftmaxChannel(2, 1.3, 0.9, 0.3),
    "two sharp tokens": SoftmaxChannel(2, 8, 11),
    "three tokens": SoftmaxChannel(3, 1.1, 0.9, 0.3),
}


def kernel_of(channel):
    kernel = channel_kernel(channel)
    assert isinstance(kernel, PopulationKernel)
    return kernel


def derivatives(value, q, m):
    """Central differences of order 8."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    h = 0.02 * q
    pair = [0.0, 0.0]
    for k, weight in weights.items():
        for side in (1, -1):
            pair[0] += side * weight * value(q + side * k * h, m) / h
            pair[1] += side * weight * value(q, m + side * k * h) / h
    return pair


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize(("q", "m"), [(0.9, 0.8), (0.05, 0.1), (1.4, -0.3)])
def test_slopes_are_derivatives_of_the_value(name, q, m):
    (loss,) = kernel_of(CHANNELS[name]).population_losses(1.5)
    assert loss.slopes(q, m) == pytest.approx(derivatives(loss.value, q, m), rel=3e-7)


@pytest.mark.parametrize("name", CHANNELS)
def test_the_value_is_the_test_error_on_noisy_labels(name):
    kernel = kernel_of(CHANNELS[name])
    (loss,) = kernel.population_losses(1.5)
    assert loss.value(0.9, 0.8) == pytest.approx(kernel.test_errors(0.9, 0.8, 1.5).noisy, abs=4e-9)


@pytest.mark.parametrize("tokens", [1, 2, 3, 4])
def test_the_target_is_at_rest(tokens):
    """2 e_q S + e_m S0 = 0 at S = S0 without noise, sample by sample where there are samples."""
    channel = SoftmaxChannel(tokens) if tokens > 1 else LinearChannel()
    for loss in kernel_of(channel).population_losses(1.5):
        in_q, in_m = loss.slopes(1.5, 1.5)
        assert 2 * in_q + in_m == pytest.approx(0, abs=1e-9)
        assert in_q > 0
        assert loss.value(1.5, 1.5) == pytest.approx(0, abs=1e-12)


def test_samples_agree_with_the_expansion():
    q, m, signal = 0.9, 0.8, 1.5
    exact = ExpandedRow(signal, 1.0, 1.2)
    assert ExpandedRow.takes(signal, 1.2)
    drawn = kernel_of(SoftmaxChannel(3, 1, 30)).population_losses(signal)
    assert len(drawn) > 1  # too sharp for the expansion
    found = np.array(
        [
            SampledRow(signal, one.normal, 1.0, 1.2).slopes(q, m)
            for one in drawn
            if isinstance(one, SampledRow)
        ]
    )
    assert len(found) == len(drawn)
    error = found.std(axis=0, ddof=1) / len(drawn) ** 0.5
    assert np.all(np.abs(found.mean(axis=0) - exact.slopes(q, m)) < 4 * error)
    value = squared_distance(q, m, signal, tokens=3, beta=1.0, beta0=1.2)
    assert exact.value(q, m) == pytest.approx(value, abs=4e-9)
