"""Spiked targets: their text, their law, their teachers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from attlas.model import Atoms, BadInput, PowerLaw, Spiked, Wishart
from attlas.model.targets import target_from
from attlas.solver.spectrum import outliers, target_law
from attlas.solver.spectrum.spiked import SpikedTargetLaw, WishartTransform
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.store.case import exact_parameters


@pytest.mark.parametrize(
    "text",
    [
        "spiked:spikes=2/1.5/1,d=200",
        "spiked:spikes=8,background=wishart:kappa0=0.1",
        "spiked:spikes=8/8/6,background=atoms:2.0/1.0/0.5",
    ],
)
def test_text_is_read_back(text: str) -> None:
    target = target_from(text)
    assert isinstance(target, Spiked)
    assert target_from(target.grammar()) == target


def test_a_file_and_spikes_are_all_the_eigenvalues(tmp_path) -> None:
    path = tmp_path / "values.txt"
    path.write_text("0.5\n0\n0.25\n")
    target = target_from(f"spiked:spikes=1/3,background=file:{path}")
    assert target.dimension == 5
    assert isinstance(target, Spiked)
    assert target.eigenvalues == (3.0, 1.0, 0.5, 0.25, 0.0)
    assert target_from("spiked:spikes=1,background=empty,d=3") == Spiked([1], d=3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("spiked:d=5", "spikes is required"),
        ("spiked:spikes=2", "d is missing"),
        ("spiked:spikes=2/-1,d=9", "must be greater than 0"),
        ("spiked:spikes=2//1,d=9", "must be a finite number"),
        ("spiked:spikes=2/1,d=2", "3 or more"),
        ("spiked:spikes=2,d=9,background=wishart:kappa0=0.1", "give the problem its `d`"),
        ("spiked:spikes=2,background=power-law:gamma=1,d=9", "must be empty, wishart"),
        ("spiked:spikes=2,d=9,background=atoms:1/2", "must be 3"),
        ("spiked:spike=2,d=9", "did you mean spikes"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        target_from(text)


def test_refuses_a_spike_that_its_text_cannot_hold() -> None:
    with pytest.raises(BadInput, match="decimal number"):
        Spiked(["1/3"], d=5)


@pytest.mark.parametrize("kappa0", [0.1, 1.0, 2.5])
def test_transform_of_the_background(kappa0: float) -> None:
    """Against an integral over the density of theory.md section 1."""
    s = math.sqrt(kappa0)
    a, b = (1 - s) ** 2 / s, (1 + s) ** 2 / s
    transform = WishartTransform(kappa0)

    def integral(z: float, power: int) -> float:
        def of_angle(t: float) -> float:
            x = (a + b) / 2 - (b - a) / 2 * math.cos(t)
            return ((b - a) / 2 * math.sin(t)) ** 2 * s / (2 * math.pi * x) / (z - x) ** power

        atom = max(1 - kappa0, 0.0) / z**power if z else 0.0
        return quad(of_angle, 0, math.pi, epsabs=1e-12)[0] + atom

    inside = [0.4 * a] if a > 0.1 else []
    for z in (b + 0.3, 3 * b, *inside):
        assert transform.value(z) == pytest.approx(integral(z, 1), rel=1e-9)
        assert transform.slope(z) == pytest.approx(-integral(z, 2), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("spiked:spikes=8/6.5/0.8,background=wishart:kappa0=0.1", 0.5),
        ("spiked:spikes=8/6/2,d=600", 1.0),
    ],
)
def test_outliers_of_a_random_matrix(text: str, delta: float) -> None:
    """theory.md section 9: each spike of S0 shows up where the formula says."""
    target, d = target_from(text), 600
    teacher = draw_teacher(target, d, 3)
    rng = np.random.default_rng(11)
    noise = rng.standard_normal((d, d))
    x, vectors = np.linalg.eigh(teacher.s0 + delta * (noise + noise.T) / math.sqrt(2 * d))
    found = outliers(target_law(target), delta, target.dimension)
    assert [one.spikes[0] for one in found] == pytest.approx(
        [float(spike) for spike in target.spikes]  # type: ignore[attr-defined]
    )
    for one in found:
        row = int(np.argmin(np.abs(teacher.eigenvalues - one.spikes[0])))
        overlaps = (teacher.eigenvectors[:, row] @ vectors) ** 2
        column = int(np.argmax(overlaps))
        assert x[column] == pytest.approx(one.location, abs=4 * delta / math.sqrt(d))
        assert overlaps[column] == pytest.approx(one.overlap, abs=0.06)


def test_detection_on_an_empty_background_is_that_of_the_formula() -> None:
    """A finite-rank spike detaches when it exceeds delta, as d grows."""
    law = target_law(Spiked([2], d=4000))
    assert isinstance(law, SpikedTargetLaw)
    assert law.detectable(0.7) == pytest.approx(0.7, rel=1e-3)
    assert law.overlap(1.4, 0.7) == pytest.approx(0.75, abs=1e-3)
    assert law.location(1.4, 0.7) == pytest.approx(1.75, abs=1e-3)


@pytest.mark.parametrize("delta", [0.3, 0.9, 2.0])
@pytest.mark.parametrize("above", [0.05, 3.0, 7.0])
def test_the_least_detectable_spike(delta: float, above: float) -> None:
    law = target_law(Spiked([8], Wishart("0.1")))
    assert isinstance(law, SpikedTargetLaw)
    least = law.detectable(delta, above)
    assert least >= above
    assert law.overlap(least * (1 + 1e-6), delta) > 0
    assert least == above or law.overlap(least * (1 - 1e-6), delta) < 0


def test_close_spikes_are_one_outlier() -> None:
    target = Spiked(["5", "4.99", "3"], d=60)
    first, second = outliers(target_law(target), 0.5, 60)
    assert first.spikes == pytest.approx((4.99, 5.0))
    assert (first.multiplicity, second.multiplicity) == (2, 1)


@pytest.mark.parametrize(
    ("target", "delta"),
    [(Spiked(["5", "4.99", "3"], d=60), 0.5), (PowerLaw("1.25", 100), 0.8)],
)
def test_outliers_of_given_eigenvalues_are_averages_over_their_band(target, delta) -> None:
    """Of x, and of the coupling of theory.md section 13 with the band's own eigenvalues."""
    d = target.dimension
    law = target_law(target)
    noisy = law.noisy(delta)
    nodes = noisy.nodes(tol=1e-12)
    pole = nodes.x - delta**2 * nodes.hilbert + 1j * np.pi * delta**2 * nodes.rho
    found = outliers(law, delta, d)
    assert len(found) >= 2
    for one in found:
        (band,) = (band for band in noisy.bands() if band.lower < one.location < band.upper)
        inside = (nodes.x > band.lower) & (nodes.x < band.upper)
        mass = nodes.w[inside].sum()
        coupled = sum(delta**2 / np.abs(pole[inside] - spike) ** 2 for spike in one.spikes) / d
        assert mass == pytest.approx(one.multiplicity / d, rel=1e-9)
        assert one.location == pytest.approx(nodes.w[inside] @ nodes.x[inside] / mass, rel=1e-9)
        assert one.overlap == pytest.approx(nodes.w[inside] @ coupled / mass, rel=1e-8)


def test_outliers_of_a_power_law_detach_one_by_one() -> None:
    target = PowerLaw("1.25", 100)
    numbers = [len(outliers(target_law(target), delta, 100)) for delta in (4.0, 2.0, 1.0, 0.5)]
    assert numbers == sorted(numbers)
    assert numbers[0] >= 1
    assert outliers(target_law(Wishart("0.5")), 0.5) == ()


def test_teacher_on_a_wishart_background() -> None:
    target = Spiked(["8", "0.5"], Wishart("0.2"))
    teacher = draw_teacher(target, 40, 2)
    assert teacher.eigenvalues[0] == 8
    assert np.sum(teacher.eigenvalues == 0.5) == 1
    assert np.sum(teacher.eigenvalues > 0) == 10
    np.testing.assert_allclose(
        np.linalg.eigvalsh(teacher.s0)[::-1], teacher.eigenvalues, atol=1e-12
    )
    turned = (teacher.eigenvectors * teacher.eigenvalues) @ teacher.eigenvectors.T
    np.testing.assert_allclose(turned, teacher.s0, atol=1e-12)
    with pytest.raises(BadInput, match="more than the 2 spikes"):
        draw_teacher(Spiked(["8", "0.5"], Wishart(3)), 2, 0)
    finite = draw_teacher(Spiked(["8"], d=12), 12, 0)
    np.testing.assert_allclose(finite.eigenvalues, [8] + 11 * [0])


def test_rows_name_what_is_in_a_file(tmp_path) -> None:
    from attlas.model import Factorised, Problem, SoftmaxChannel

    def row(path) -> object:
        target = Spiked(["2"], Atoms.from_file(path))
        problem = Problem(
            alpha=1, target=target, channel=SoftmaxChannel(), estimator=Factorised("0.1")
        )
        return exact_parameters(problem)["target"]

    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("1\n0\n")
    two.write_text("1\n0.5\n")
    first = row(one)
    two_first = row(two)
    assert first != two_first
    two.write_text("1\n0\n")
    assert row(two) == first
