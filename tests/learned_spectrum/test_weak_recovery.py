"""Where a spike appears: the threshold beside the spectrum on both sides of it."""

from __future__ import annotations

import pytest

from attlas.cli.main import main
from attlas.model import BadInput, Problem, problem_from
from attlas.solver.learned_spectrum import spectrum
from attlas.solver.thresholds import ThresholdStatus, threshold

TARGET = "spiked:spikes=6.5,background=wishart:kappa0=0.1"


def problem(target: str = TARGET, lam: str = "0.1", noise: str = "1") -> Problem:
    return problem_from(alpha="1", tokens=1, lam=lam, noise=noise, target=target)


@pytest.mark.parametrize(
    ("target", "lam"),
    [
        (TARGET, "0.1"),
        (TARGET, "0"),
        (TARGET, "3"),
        ("spiked:spikes=0.5,background=wishart:kappa0=0.1", "0.1"),
    ],
)
def test_the_outlier_appears_at_the_threshold(target: str, lam: str) -> None:
    asked = problem(target, lam)
    found = threshold("weak-recovery", problem=asked)
    assert found.status in (ThresholdStatus.FOUND, ThresholdStatus.LIMITED)
    assert found.digits >= 6
    assert found.alpha is not None
    alpha = float(found.alpha)
    before = spectrum(asked.with_(alpha=alpha * (1 - 1e-4)))
    beyond = spectrum(asked.with_(alpha=alpha * (1 + 1e-4)))
    assert before.outliers == ()
    assert len(before.undetected) == 1
    (outlier,) = beyond.outliers
    limited = "threshold epsilon limits" in found.statement
    assert (outlier.location if limited else outlier.overlap) == pytest.approx(0, abs=2e-2)


def test_a_collapsed_bulk_leaves_the_spike_limited_by_epsilon() -> None:
    found = threshold("weak-recovery", problem=problem(lam="3"))
    assert "The threshold epsilon limits it" in found.statement


def test_a_spike_within_the_background_never_appears() -> None:
    found = threshold(
        "weak-recovery", problem=problem("spiked:spikes=3,background=wishart:kappa0=0.1")
    )
    assert found.status is ThresholdStatus.ABSENT
    assert found.alpha is None
    assert "up to 5.47851" in found.statement


def test_refusals() -> None:
    with pytest.raises(BadInput, match="must be a spiked target"):
        threshold("weak-recovery", problem=problem("wishart:kappa0=0.1"))
    with pytest.raises(BadInput, match="double precision"):
        threshold("weak-recovery", problem=problem(), digits=20)
    with pytest.raises(BadInput, match="whole problem"):
        threshold("weak-recovery", kappa0="0.1")


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--lam", "0.1", "--tokens", "1", "--noise", "1", "--target", TARGET]
    assert main(["threshold", "weak-recovery", *flags]) == 0
    assert "alpha_times_D" in capsys.readouterr().out
    assert main(["threshold", "weak-recovery", *flags, "--alpha", "1"]) == 2
    assert "is what this threshold answers" in capsys.readouterr().err
