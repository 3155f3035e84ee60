"""The power of d by which deviations fall."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attlas.verify.judgement.rate import rate


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_interval_holds_the_true_power(exponent):
    rng = np.random.default_rng(0)
    d = np.repeat([16, 32, 64, 128], 20)
    held = 0
    for _ in range(200):
        deviations = 3 * d**-exponent * (1 + 0.3 * rng.standard_normal(d.size))
        found = rate(d.tolist(), deviations.tolist())
        held += found.low <= exponent <= found.high
        assert found.low <= found.exponent <= found.high
    assert 160 <= held <= 196  # 90 %, less what estimated variances cost


def test_a_half_is_told_from_one():
    d = np.repeat([16, 32, 64, 128], 20)
    noise = 0.1 * np.random.default_rng(1).standard_normal(d.size)
    assert rate(d.tolist(), (3 * d**-0.5 * (1 + noise)).tolist()).high < 0.9


def test_nothing_is_said_without_a_signal():
    d = np.repeat([16, 32, 64], 8)
    noise = np.random.default_rng(2).standard_normal(d.size)
    assert math.isnan(rate(d.tolist(), noise.tolist()).exponent)
    assert math.isnan(rate(d.tolist(), np.zeros(d.size).tolist()).low)
    assert math.isnan(rate([16, 16, 32, 32], [1.0, 1.1, 0.5, 0.6]).low)
