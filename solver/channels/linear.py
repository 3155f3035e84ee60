"""The linear channel in closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attlas.model.channels import label_strength
from attlas.solver.channels.kernel import (
    USUAL,
    ChannelMoments,
    PopulationLoss,
    ScoreTokens,
    TestErrors,
)
from attlas.solver.order_parameters import Overlaps


@dataclass(frozen=True)
class LinearKernel:
    """y = h(S0) + sqrt(noise) xi with square loss: M = c (Q - 2m + q)/(1 + 2 c sigma).

    Parameters
    ----------
    noise : float
        Delta of theory.md section 1; the signal is Q = Q0 + noise/2.
    diagonal : float
        c, the variance of the only score over q: 2 on the diagonal of a symmetric map, 1 of any
        other.
    tokens : ScoreTokens
    """

    noise: float
    diagonal: float = 2.0
    tokens: ScoreTokens = USUAL

    @property
    def finest(self) -> int:
        return 0

    @property
    def scale(self) -> float:
        return 1.0

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return 1

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:  # noqa: ARG002
        c = self.diagonal
        stiffness = 1 / (1 + 2 * c * overlaps.sigma)
        if overlaps.mse is None:
            misfit = signal - 2 * overlaps.m + overlaps.q
        else:
            misfit = label_strength(overlaps.mse, self.noise)
        misfit = c * misfit + self._revealed(overlaps.revealed)
        return ChannelMoments(
            energy=misfit * stiffness,
            d_sigma=-2 * c * misfit * stiffness**2,
            d_m=-2 * c * stiffness,
            d_q=c * stiffness,
            train_error=misfit * stiffness**2,
            response=4 * c**2 * stiffness**2,
            multi_minima_weight=0.0,
            d_own=stiffness,
            d_shared=-2 * stiffness,
        )

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        clean = q0 - 2 * m + q if mse is None else mse
        noisy = label_strength(clean, self.noise)
        more = self._revealed(revealed)
        return TestErrors(noisy=self.diagonal * noisy + more, clean=self.diagonal * clean + more)

    def with_tokens(self, tokens: ScoreTokens) -> LinearKernel:
        return replace(self, tokens=tokens)

    def _revealed(self, revealed: tuple[float, float]) -> float:
        """What tokens add to the variance of teacher's less student's score."""
        own, shared = revealed
        return self.tokens.teacher - 2 * shared + own

    def with_diagonal(self, variance: float) -> LinearKernel:
        """The kernel of a wrong theory, with another variance of the score than 2."""
        return replace(self, diagonal=variance)

    def population_losses(self, q0: float) -> tuple[PopulationLoss, ...]:
        return (LinearLoss(self.diagonal, label_strength(q0, self.noise)),)


@dataclass(frozen=True)
class LinearLoss:
    """e = c (Q - 2m + q) of theory.md section 20.

    Parameters
    ----------
    diagonal, signal : float
        c and Q.
    """

    diagonal: float
    signal: float

    def value(self, q: float, m: float) -> float:
        return self.diagonal * (self.signal - 2 * m + q)

    def slopes(self, q: float, m: float) -> tuple[float, float]:  # noqa: ARG002
        return self.diagonal, -2 * self.diagonal
