"""The theory without the factors (1 + delta_ab) of diagonal scores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from attlas.model import Channel, LinearChannel, Problem, SoftmaxChannel
from attlas.solver.channels import ChannelKernel, channel_kernel
from attlas.solver.channels.linear import LinearKernel
from attlas.solver.channels.two_tokens.kernel import TwoTokenKernel
from attlas.solver.channels.two_tokens.scores import ScorePair
from attlas.verify.claims.claim import Control


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


@channel_kernel.register
def _(channel: WithoutDiagonalFactors) -> ChannelKernel:
    right = channel.channel
    if isinstance(right, LinearChannel):
        return LinearKernel(noise=float(right.noise), diagonal=1.0)
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
