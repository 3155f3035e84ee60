"""The predicted law of the trained map."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import attlas
from attlas.model import BadInput, Problem, problem_from
from attlas.solver import solve
from attlas.solver.learned_spectrum import Spectrum, spectrum
from attlas.solver.learned_spectrum.propagate import bars
from attlas.solver.learned_spectrum.result import LearnedBand, LearnedOutlier
from attlas.solver.learned_spectrum.spectrum import spectrum_of
from attlas.solver.spectrum import target_law

LINEAR = {"tokens": 1, "alpha": "0.3"}


def of(**flat: object) -> Spectrum:
    return spectrum(problem_from(**{**LINEAR, **flat}))


def area(density) -> float:
    return float(np.trapezoid(density.rho, density.x))


CASES = [
    {"kappa0": "0.1", "lam": "0.05"},
    {"kappa0": "0.1", "lam": "0.05", "noise": "2"},
    {"kappa0": "0.5", "lam": "0.2", "noise": "0.5", "kappa": "0.6"},
    {"kappa0": "1", "lam": "0.1", "noise": "0.1"},
    {"kappa0": "2", "lam": "0", "noise": "0.3"},
    {"kappa0": "0.1", "lam": "0"},
    {"kappa0": "0.3", "lam": "0.1", "training": "direct", "noise": "0.2"},
    {"kappa0": "0.3", "lam": "0.1", "training": "direct-psd", "noise": "0.2"},
    {"target": "power-law:gamma=1,d=60", "lam": "0.2", "noise": "0.3"},
    {"target": "spiked:spikes=8/0.8,background=wishart:kappa0=0.1", "lam": "0.1", "noise": "1"},
    {"target": "spiked:spikes=6/3,d=80", "lam": "0.1", "noise": "0.1"},
]


@pytest.mark.parametrize("flat", CASES, ids=lambda flat: ",".join(map(str, flat.values())))
def test_masses_and_densities(flat) -> None:
    found = of(**flat)
    assert found.mass_at_zero + found.rank_fraction == pytest.approx(1, abs=1e-12)
    assert sum(band.mass for band in found.bands) == pytest.approx(found.rank_fraction, abs=1e-9)
    assert found.rank_fraction == pytest.approx(found.solution.rank_fraction, abs=1e-7)
    assert area(found.density) == pytest.approx(found.rank_fraction, rel=2e-3)
    edges = [edge for band in found.bands for edge in (band.lower, band.upper)]
    assert edges == sorted(edges)
    assert min(found.density.x) == pytest.approx(edges[0], abs=1e-12)
    assert max(found.density.x) == pytest.approx(edges[-1], abs=1e-12)
    second = np.trapezoid(np.array(found.density.rho) * np.square(found.density.x), found.density.x)
    assert second == pytest.approx(found.solution.q, rel=3e-3)
    for gap in found.gaps:
        inside = [x for x in found.density.x if gap.lower < x < gap.upper]
        assert inside == []


def test_singular_values_of_the_factor() -> None:
    """lambda = sigma^2/sqrt(kappa) with sigma in units of sqrt(d); p of them are there."""
    found = of(kappa0="0.5", lam="0.2", noise="0.5", kappa="0.6")
    factor = found.singular_values
    assert factor.mass_at_zero + found.rank_fraction == pytest.approx(0.6)
    for band, learned in zip(factor.bands, found.bands, strict=True):
        assert band.upper**2 / math.sqrt(0.6) == pytest.approx(learned.upper)
    assert area(factor.density) == pytest.approx(found.rank_fraction, rel=2e-3)
    energy = np.trapezoid(
        np.array(factor.density.rho) * np.square(factor.density.x), factor.density.x
    )
    trace = np.trapezoid(np.array(found.density.rho) * np.array(found.density.x), found.density.x)
    assert energy == pytest.approx(math.sqrt(0.6) * trace, rel=3e-3)
    assert of(kappa0="0.3", lam="0.1", training="direct", noise="0.2").singular_values is None


def test_edges_are_those_of_the_shifted_law() -> None:
    found = of(kappa0="0.1", lam="0.05", noise="0.5")
    bands = target_law(found.problem.target).noisy(found.delta).bands()
    assert len(bands) == 2
    assert found.bands[1].lower == pytest.approx(found.eta * (bands[1].lower - found.epsilon))
    assert found.bands[0].lower == 0
    assert found.bulk_edge == pytest.approx(found.eta * (bands[0].upper - found.epsilon))
    assert found.gaps[0].lower == pytest.approx(found.bulk_edge)


def test_a_recovered_target_is_its_own_spectrum() -> None:
    found = of(kappa0="0.1", lam="0")
    (band,) = found.bands
    root = math.sqrt(0.1)
    assert band.mass == pytest.approx(0.1)
    assert (band.lower, band.upper) == pytest.approx(
        ((1 - root) ** 2 / root, (1 + root) ** 2 / root), abs=1e-8
    )
    assert found.gaps[0].upper == band.lower


def test_collapse_is_all_zeros_but_a_strong_spike_stays() -> None:
    found = of(kappa0="0.5", lam="9")
    assert found.bands == () == found.outliers
    assert found.mass_at_zero == 1
    spiked = of(target="spiked:spikes=40/6,background=wishart:kappa0=0.5", lam="9", noise="0.1")
    assert spiked.bands == ()
    assert [one.target for one in spiked.outliers] == [40]
    (lost,) = spiked.undetected
    assert lost.target == 6
    stronger = of(
        target=f"spiked:spikes=40/{lost.needs * 1.001:.6f},background=wishart:kappa0=0.5",
        lam="9",
        noise="0.1",
    )
    assert len(stronger.outliers) == 2


def test_a_spike_below_detection_is_explained() -> None:
    found = of(target="spiked:spikes=12/5.6,background=wishart:kappa0=0.1", lam="0.1", noise="5")
    (lost,) = found.undetected
    assert lost.target == 5.6
    assert "does not detach" in lost.reason
    law = target_law(found.problem.target)
    assert law.overlap(lost.needs, found.delta) == pytest.approx(0, abs=1e-6)  # type: ignore[attr-defined]


def test_nothing_is_trained_for_the_bayes_optimal_reference() -> None:
    with pytest.raises(BadInput, match=r"^training = 'bayes'"):
        of(kappa0="0.5", training="bayes")


def test_error_bars_hold() -> None:
    """A coarse solve differs from a fine one by less than its bars."""
    problem = problem_from(alpha="0.3", lam="0.05", kappa0="0.2", noise="0.5")
    coarse, fine = spectrum(problem, rtol=1e-3), spectrum(problem, rtol=1e-8)
    for one, two, bar in zip(coarse.bands, fine.bands, coarse.error.bands, strict=True):
        for key in ("lower", "upper", "mass"):
            bound = getattr(bar, key) + 1e-9
            assert abs(getattr(one, key) - getattr(two, key)) <= bound
    assert abs(coarse.mass_at_zero - fine.mass_at_zero) <= coarse.error.mass_at_zero + 1e-9
    worst = coarse.error.density.x[0]
    assert worst == max(max(bar.lower, bar.upper) for bar in coarse.error.bands)


def test_bars_of_nested_values() -> None:
    here = (LearnedBand(1.0, 2.0, 0.5), LearnedOutlier(3.0, 0.9, 2, 2.5))
    moved = (LearnedBand(1.5, 2.0, 0.5), LearnedOutlier(2.75, 0.9, 2, 2.5))
    band, outlier = bars(here, [moved, here], 0.0)
    assert (band.lower, band.upper, outlier.location, outlier.multiplicity) == (0.5, 0, 0.25, 2)


def test_bars_where_the_number_of_bands_changes() -> None:
    """The lowest is compared with the lowest, the others from the top; what is left is unknown."""
    bands = tuple(LearnedBand(float(x), x + 0.5, 0.1) for x in range(4))
    bar = bars(bands, [(bands[0], bands[2], replace(bands[3], lower=3.25))], 0.0)
    assert [one.lower for one in bar] == [0, math.inf, 0, 0.25]
    outliers = tuple(LearnedOutlier(x, 0.9, 1, x) for x in (3.0, 2.0))
    first, second = bars(outliers, [outliers[:1]], 0.0)
    assert (first.location, second.location, second.multiplicity) == (0, math.inf, 1)
    assert bars((1.0, 2.0), [(1.0,)], 0.0) == (math.inf, math.inf)


def test_front_door() -> None:
    problem = problem_from(**LINEAR, kappa0="0.1", lam="0.05")
    found = attlas.spectrum(problem)
    assert isinstance(problem, Problem)
    assert found.present() == replace(spectrum_of(solve(problem)), stats=found.stats).present()
    assert set(found.present()) >= {"mass_at_zero", "rank_fraction", "bands", "outliers", "density"}
    assert found.present()["bands"][0].keys() == {"lower", "upper", "mass"}
