"""What holds for the noisy law of any target."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Protocol

import numpy as np
import pytest

from attlas.model.errors import BadInput
from attlas.solver.spectrum import NoisyLaw, TargetLaw


class Case(Protocol):
    name: str
    target: TargetLaw
    delta: float

    @property
    def law(self) -> NoisyLaw: ...

    def thresholds(self) -> list[float]: ...


def test_moments_are_exact(case: Case) -> None:
    mass, mean, second = case.law.moments()
    total = case.target.q0 + case.delta**2
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(case.target.mean, abs=1e-12 * math.sqrt(total))
    assert second == pytest.approx(total, rel=1e-12)


def test_bands_are_disjoint_and_hold_their_mass(case: Case) -> None:
    law = case.law
    bands = law.bands()
    nodes = law.nodes()
    assert sum(band.mass for band in bands) == pytest.approx(1, abs=1e-14)
    for left, right in pairwise(bands):
        assert left.upper < right.lower
    for band in bands:
        inside = (nodes.x >= band.lower) & (nodes.x <= band.upper)
        assert np.sum(nodes.w[inside]) == pytest.approx(band.mass, abs=1e-13)
    assert law.top == bands[-1].upper


def test_truncated_integrals_agree_with_quadrature(case: Case) -> None:
    law, delta = case.law, case.delta
    for epsilon in case.thresholds():
        exact = law.truncated(epsilon)
        nodes = law.nodes(epsilon)
        above = nodes.x - epsilon
        scale = case.target.q0 + delta**2 + epsilon**2
        part = np.sum(nodes.w * (epsilon**2 - nodes.x**2)) + delta * exact.j1
        assert np.sum(nodes.w) == pytest.approx(exact.mass, abs=1e-13)
        assert np.sum(nodes.w * above**2) == pytest.approx(exact.j, abs=1e-13 * scale)
        assert -2 * np.sum(nodes.w * above) == pytest.approx(exact.j2, abs=1e-13 * scale)
        j1 = 4 * delta * np.sum(nodes.w * above * nodes.hilbert)
        assert j1 == pytest.approx(exact.j1, abs=1e-13 * (1 + scale) * max(delta, 1))
        assert part == pytest.approx(exact.squared_error_part, abs=1e-12 * scale)


def test_squared_error_is_q0_plus_its_part(case: Case) -> None:
    for epsilon in case.thresholds():
        result = case.law.truncated(epsilon)
        scale = case.target.q0 + case.delta**2 + epsilon**2
        expected = case.target.q0 + result.squared_error_part
        assert result.squared_error == pytest.approx(expected, abs=1e-13 * scale)


def test_limits_above_and_below_everything(case: Case) -> None:
    law, target, delta = case.law, case.target, case.delta
    top = law.truncated(law.top + 1e-9)
    assert (top.mass, top.j, top.j1, top.j2, top.squared_error_part) == (0, 0, 0, 0, 0)
    assert (top.mass_error, top.j_error) == (0, 0)
    assert top.squared_error == pytest.approx(target.q0, rel=1e-14)
    low = law.bands()[0].lower - 2.0
    everything = law.truncated(low)
    assert everything.mass == pytest.approx(1, abs=1e-14)
    whole = target.q0 + delta**2 - 2 * low * target.mean + low**2
    assert everything.j == pytest.approx(whole, rel=1e-13)
    assert everything.j1 == pytest.approx(2 * delta, rel=1e-12)


def test_derivatives_are_those_of_j(case: Case) -> None:
    """J1 (the complex Burgers equation) and J2 against central differences."""
    for epsilon in case.thresholds():
        # well inside the distance to the nearest edge, where J is smooth
        edges = [edge for band in case.law.bands() for edge in (band.lower, band.upper)]
        room = min(abs(epsilon - edge) for edge in edges)
        step = 1e-3 * min(room, case.delta, 0.1)
        result = case.law.truncated(epsilon)

        def j(delta: float, threshold: float) -> float:
            return case.target.noisy(delta).truncated(threshold).j

        in_delta = _slope([j(case.delta + k * step, epsilon) for k in (-2, -1, 1, 2)], step)
        in_epsilon = _slope([j(case.delta, epsilon + k * step) for k in (-2, -1, 1, 2)], step)
        noise = 1e-14 * (1 + result.j) / step
        assert in_delta == pytest.approx(result.j1, rel=1e-7, abs=noise)
        assert in_epsilon == pytest.approx(result.j2, rel=1e-7, abs=noise)


def _slope(values: list[float], step: float) -> float:
    far_low, low, high, far_high = values
    return (8 * (high - low) - (far_high - far_low)) / (12 * step)


def test_mass_and_j_decrease_with_the_threshold(case: Case) -> None:
    bands = case.law.bands()
    grid = np.linspace(bands[0].lower - 0.1, bands[-1].upper + 0.1, 41)
    results = [case.law.truncated(float(epsilon)) for epsilon in grid]
    for before, after in pairwise(results):
        assert after.mass <= before.mass + before.mass_error + after.mass_error
        assert after.j <= before.j + before.j_error + after.j_error


def test_j_keeps_its_digits_at_the_top_edge(case: Case) -> None:
    """At a square-root edge J ~ (top - eps)^(7/2), far below the rounding errors of J itself."""
    law = case.law
    band = law.bands()[-1]
    width = band.upper - band.lower
    for share in (1e-3, 1e-4):
        wide, narrow = (law.truncated(band.upper - share * k * width).j for k in (1.0, 0.5))
        assert wide / narrow == pytest.approx(2**3.5, rel=100 * share + 1e-8 / share)
        assert law.truncated(band.upper - share * width).j_error < 1e-8 * wide


def test_transform_density_and_hilbert_agree(case: Case) -> None:
    law = case.law
    nodes = law.nodes()
    # next to an edge the density of the rounded abscissa is another one
    chosen = np.flatnonzero(nodes.rho > 0.05 * nodes.rho.max())
    chosen = chosen[:: max(1, chosen.size // 25)]
    x = nodes.x[chosen]
    scale = np.abs(nodes.hilbert).max() + nodes.rho.max()
    g = law.stieltjes(x)
    assert law.density(x) == pytest.approx(nodes.rho[chosen], abs=1e-10 * scale)
    assert g.real == pytest.approx(law.hilbert(x), abs=1e-12 * scale)
    assert -g.imag / math.pi == pytest.approx(law.density(x), abs=1e-12 * scale)


def test_transform_off_the_axis_is_the_cauchy_integral(case: Case) -> None:
    law = case.law
    nodes = law.nodes()
    z = np.array([[0.3 + 1.0j, -1.0 - 0.7j], [2.0 + 5.0j, 1.0 + 2.0j]]) * (1 + case.delta)
    cauchy = (nodes.w / (z[..., None] - nodes.x)).sum(axis=-1)
    assert law.stieltjes(z) == pytest.approx(cauchy, abs=1e-11)


def test_hilbert_outside_the_support_is_the_cauchy_integral(case: Case) -> None:
    law = case.law
    nodes = law.nodes()
    bands = law.bands()
    gaps = [(a.upper + b.lower) / 2 for a, b in pairwise(bands)]
    points = np.array([bands[0].lower - 0.5, *gaps, bands[-1].upper + 0.5])
    cauchy = (nodes.w / (points[:, None] - nodes.x)).sum(axis=-1)
    scale = (nodes.w / np.abs(points[:, None] - nodes.x)).sum(axis=-1)
    assert law.density(points) == pytest.approx(np.zeros(points.size))
    assert np.abs(law.hilbert(points) - cauchy).max() <= 1e-10 * scale.max()


def test_quantiles_invert_the_distribution_function(case: Case) -> None:
    law = case.law
    levels = np.array([0.01, 0.3, 0.62, 0.97])
    x = law.quantile(levels)
    assert np.all(np.diff(x) >= 0)
    assert law.cdf(x) == pytest.approx(levels, abs=1e-12)


def test_chosen_number_of_nodes_is_enough(case: Case) -> None:
    few, many = (case.law.nodes(0.1, n=n) for n in (26, 34))
    for function in (np.ones_like, np.square, np.cos):
        assert np.sum(few.w * function(few.x)) == pytest.approx(
            np.sum(many.w * function(many.x)), abs=1e-12 * (1 + case.target.q0 + case.delta**2)
        )


def test_numbers_out_of_range_are_refused(case: Case) -> None:
    accepted = [
        (name, value)
        for name, ask, values in (
            ("delta", case.target.noisy, (0.0, -1.0, math.inf, math.nan)),
            ("epsilon", case.law.truncated, (math.inf, math.nan)),
            ("u", case.law.quantile, (0.0, 1.0, -0.1)),
        )
        for value in values
        if not _refuses(name, ask, value)
    ]
    assert not accepted


def _refuses(name: str, ask: Callable[[float], object], value: float) -> bool:
    try:
        ask(value)
    except BadInput as refusal:
        return refusal.parameter == name
    return False
