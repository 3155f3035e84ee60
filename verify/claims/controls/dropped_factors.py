"""The theory without the factors (1 + delta_ab) of diagonal scores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from model import Channel, LinearChannel, Problem, SoftmaxChannel
from solver.channels import ChannelKernel, ChannelMoments, TestErrors, channel_kernel
from solver.channels.two_tokens.kernel import TwoTokenKernel
from solver.channels.two_tokens.scores import ScorePair
from solver.order_parameters import Overlaps
from verify.claims.claim import Control


@dataclass(frozen=True)
class WithoutDiagonalFactors(Channel):
    """A channel whose diagonal scores are given the variance of the others.

    For two tokens (u, v) then has covariance [[2, 1], [1, 2]] in place of [[3, 1], [1, 3]], in the
    Gaussian field and in the proximal metric alike; the linear score has variance Q, not 2Q.
    """

    channel: Channel

    name: ClassVar[str] = "without-diagonal-factors"

    @property
    def noise(self) -> Fraction:  # type: ignore[override]
        return self.channel.noise

    @property
    def label_rank(self) -> int:
        return self.channel.label_rank


@dataclass(frozen=True)
class _UnitLinearKernel:
    """y = h + noise with scores of variance Q: M = (Q - 2m + q)/(1 + 2 sigma)."""

    noise: float

    @property
    def finest(self) -> int:
        return 0

    @property
    def scale(self) -> float:
        return 1.0

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return 1

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:  # noqa: ARG002
        stiffness = 1 / (1 + 2 * overlaps.sigma)
        misfit = signal - 2 * overlaps.m + overlaps.q
        return ChannelMoments(
            energy=misfit * stiffness,
            d_sigma=-2 * misfit * stiffness**2,
            d_m=-2 * stiffness,
            d_q=stiffness,
            train_error=misfit * stiffness**2,
            response=4 * stiffness**2,
            multi_minima_weight=0.0,
        )

    def test_errors(self, q: float, m: float, q0: float, mse: float | None = None) -> TestErrors:
        clean = q0 - 2 * m + q if mse is None else mse
        return TestErrors(noisy=clean + self.noise / 2, clean=clean)


@channel_kernel.register
def _(channel: WithoutDiagonalFactors) -> ChannelKernel:
    right = channel.channel
    if isinstance(right, LinearChannel):
        return _UnitLinearKernel(noise=float(right.noise))
    if isinstance(right, SoftmaxChannel) and right.tokens == 2:
        return TwoTokenKernel(
            beta=float(right.beta),
            beta0=float(right.beta0),
            noise=float(right.noise),
            pair=ScorePair(diagonal=2.0),
        )
    raise NotImplementedError(f"no wrong kernel for {right}")


def _dropped(problem: Problem) -> Problem:
    return problem.with_(channel=WithoutDiagonalFactors(problem.channel))


DROPPED_FACTORS = Control(
    id="diagonal-factors-dropped",
    statement=(
        "Diagonal scores are given the variance of off-diagonal ones: the factors (1 + δ_ab) are "
        "dropped."
    ),
    wrong=_dropped,
)
