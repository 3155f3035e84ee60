"""The theory without the factors (1 + delta_ab) of diagonal scores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model import Channel, Problem
from attlas.model.channels import Functions
from attlas.model.channels.channel import Matrix
from attlas.solver.channels import KERNELS, ChannelKernel, channel_kernel
from attlas.verify.claims.claim import Control


@dataclass(frozen=True)
class WithoutDiagonalFactors(Channel):
    """A channel whose diagonal scores are given the variance of the others.

    For two tokens (u, v) then has covariance [[2, 1], [1, 2]] in place of [[3, 1], [1, 3]], in the
    Gaussian field and in the proximal metric alike; the linear score has variance Q, not 2Q.
    """

    channel: Channel

    name: ClassVar[str] = "without-diagonal-factors"

    def __post_init__(self) -> None:
        """Nothing to read: the field is a channel."""

    def labels(self, scores: Matrix, f: Functions) -> Matrix:
        return self.channel.labels(scores, f)

    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:
        return self.channel.loss(labels, scores, f)

    @property
    def noise(self) -> Fraction:  # type: ignore[override]
        return self.channel.noise

    @property
    def label_rank(self) -> int:
        return self.channel.label_rank


def _kernel(channel: WithoutDiagonalFactors) -> ChannelKernel:
    return channel_kernel(channel.channel).with_diagonal(1.0)  # type: ignore[attr-defined]


KERNELS[WithoutDiagonalFactors] = _kernel


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
