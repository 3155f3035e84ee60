"""Power laws with too many eigenvalues to list, beside the route that lists them all."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from attlas.model import PowerLaw, problem_from
from attlas.solver.decomposition import decompose, split_error
from attlas.solver.learned_spectrum import Spectrum, spectrum
from attlas.solver.learned_spectrum.rule import Rule
from attlas.solver.learned_spectrum.spectrum import spectrum_of
from attlas.solver.spectrum import AtomsTargetLaw, GroupedTargetLaw, outliers, power_modes

D = 2000


def _problem(d: int, gamma: str = "1.25", **flat: str):
    given = {"alpha": "0.3", "lam": "0.05", "noise": "0.5", **flat}
    return problem_from(tokens=1, target=f"power-law:gamma={gamma},d={d}", **given)


@pytest.fixture(scope="module")
def both() -> tuple[Spectrum, Spectrum]:
    """The same solution through every eigenvalue, and through groups."""
    exact = spectrum(_problem(D))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attlas.solver.spectrum.LARGEST_EXACT", D - 1)
        return exact, spectrum_of(exact.solution)


def test_outliers_are_those_of_all_eigenvalues_within_their_bars(both) -> None:
    exact, grouped = both
    assert len(exact.outliers) == len(grouped.outliers) == 15
    for one, two, bar, own in zip(
        exact.outliers, grouped.outliers, grouped.error.outliers, exact.error.outliers, strict=True
    ):
        assert one.multiplicity == two.multiplicity == 1
        for key in ("location", "overlap", "target"):
            bound = getattr(bar, key) + getattr(own, key)
            assert abs(getattr(one, key) - getattr(two, key)) <= bound < 1e-6


def test_bands_too(both) -> None:
    exact, grouped = both
    assert len(exact.bands) == len(grouped.bands)
    for one, two, bar in zip(exact.bands, grouped.bands, grouped.error.bands, strict=True):
        for key in ("lower", "upper", "mass"):
            bound = getattr(bar, key) + 1e-9
            assert abs(getattr(one, key) - getattr(two, key)) <= bound < 1e-4


@pytest.mark.parametrize(
    ("gamma", "delta"), [(0.75, 5.0), (0.75, 0.05), (1.25, 1.0), (1.25, 0.01), (2, 1e-3)]
)
def test_modes_that_stand_apart_are_single_at_any_noise(gamma: float, delta: float) -> None:
    """As many bands as all eigenvalues have, where groups that were too wide would show as more."""
    target = PowerLaw(gamma, D)
    every, groups = AtomsTargetLaw(target.eigenvalues), GroupedTargetLaw(power_modes(target))
    resolved = groups.resolved(delta)
    assert len(resolved.noisy(delta).bands()) == len(every.noisy(delta).bands())
    expected, found = outliers(every, delta, D), outliers(resolved, delta, D)
    assert len(found) == len(expected)
    for one, two in zip(expected, found, strict=True):
        assert two.multiplicity == one.multiplicity
        assert two.location == pytest.approx(one.location, rel=1e-7)
        assert two.overlap == pytest.approx(one.overlap, abs=1e-7)
    if delta < 0.1:
        assert resolved.alone > groups.alone
        assert len(groups.noisy(delta).bands()) != len(every.noisy(delta).bands()) or gamma == 2


def test_very_many_modes_beyond_those_taken_one_by_one_are_groups() -> None:
    """Their multiplicities count modes: all with s > delta are in the list, nearly."""
    d, delta = 10**9, 0.3
    law = GroupedTargetLaw(power_modes(PowerLaw(1.25, d))).resolved(delta)
    found = outliers(law, delta, d)
    assert {one.multiplicity for one in found[:1500]} == {1}
    assert found[-1].multiplicity > 1
    total = sum(one.multiplicity for one in found)
    assert total == pytest.approx((d**0.5 / delta) ** 0.8, rel=0.05)
    assert [one.location for one in found] == sorted((one.location for one in found), reverse=True)


def test_the_decomposition_by_bands_is_that_of_all_eigenvalues() -> None:
    target, delta = PowerLaw(0.75, D), 0.05
    rule, every = Rule(0.9, 0.02, 0.02), AtomsTargetLaw(target.eigenvalues)
    exact = asdict(split_error(every, every.noisy(delta), rule, 1.0))
    groups = GroupedTargetLaw(power_modes(target)).resolved(delta)
    assert asdict(split_error(groups, groups.noisy(delta), rule, 1.0)) == pytest.approx(
        exact, rel=1e-9, abs=1e-12
    )


def test_decompose_holds_its_bars_across_the_two_routes(monkeypatch) -> None:
    problem = _problem(D)
    exact = decompose(problem)
    monkeypatch.setattr("attlas.solver.spectrum.LARGEST_EXACT", D - 1)
    grouped = decompose(problem)
    for key, value in exact.present().items():
        bound = getattr(grouped.error, key) + getattr(exact.error, key)
        assert abs(getattr(grouped, key) - value) <= bound, key


def test_a_recovered_target_leaves_no_error() -> None:
    found = decompose(_problem(3000, noise="0", lam="0", alpha="0.6"))
    assert found.error_scaled == pytest.approx(0, abs=1e-12)
    scaled = decompose(problem_from(alpha="0.6", lam="0", kappa0="0.1", beta="1.25"))
    assert scaled.eta_star == pytest.approx(0.8)
    assert scaled.error_scaled == pytest.approx(0, abs=1e-12)
    assert scaled.mse == pytest.approx(0.2**2 * 1.1)
    assert replace(scaled, error=None).bulk_over is None
