"""Expectations of the two-token softmax channel on a deterministic lattice."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attlas.model.channels import label_strength
from attlas.solver.budget import uncounted
from attlas.solver.channels.kernel import (
    ChannelMoments,
    PopulationLoss,
    ScoreTokens,
    TestErrors,
)
from attlas.solver.channels.two_tokens.fields import FieldModel
from attlas.solver.channels.two_tokens.lattice import Fineness, Lattice, lattice
from attlas.solver.channels.two_tokens.scores import THEORY, ScorePair
from attlas.solver.channels.two_tokens.test_error import SquaredDistance
from attlas.solver.order_parameters import Overlaps

#: The lattice at each level. Fields bear wider steps than labels: their spread is small beside the
#: scores', and where the proximal point jumps their lines are integrated apart.
_LEVELS = (
    Fineness(label=1.20, field=1.20, radius=4.6),
    Fineness(label=0.95, field=0.95, radius=5.0),
    Fineness(label=0.70, field=0.80, radius=5.6),
    Fineness(label=0.52, field=0.66, radius=6.2),
    Fineness(label=0.42, field=0.56, radius=6.6),
    Fineness(label=0.37, field=0.51, radius=6.9),
    Fineness(label=0.27, field=0.38, radius=7.4),
    Fineness(label=0.22, field=0.31, radius=7.6),
    Fineness(label=0.19, field=0.24, radius=7.8),
)
#: Unexplained moves of the proximal point, times their probability, let pass at each level.
_ROUGHNESS = (1e-7, 1e-7, 1e-7, 1e-7, 1e-8, 3e-9, 1e-9, 3e-10, 1e-10)
#: Compiled when it is first used, once per installation.
_LINES = "attlas.solver.channels.two_tokens.lines"


@dataclass(frozen=True)
class TwoTokenKernel:
    """The channel y = softmax_rows(beta0 z0) with T = 2 (theory.md sections 3, 4 and 6).

    Parameters
    ----------
    beta, beta0 : float
    noise : float
        Delta of theory.md.
    pair : ScorePair
        Covariance of the two score differences; controls and correlated positions have others.
    """

    beta: float
    beta0: float
    noise: float
    pair: ScorePair = THEORY

    @property
    def finest(self) -> int:
        return len(_LEVELS) - 1

    @property
    def scale(self) -> float:
        return self.beta0 / self.beta

    def nodes(self, signal: float, level: int) -> int:
        return self._lattice(signal, level).weights.size

    def with_tokens(self, tokens: ScoreTokens) -> TwoTokenKernel:
        return replace(self, pair=ScorePair.of_tokens(tokens))

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        return _moments(self, overlaps, signal, level)

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,  # noqa: ARG002
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        pair, (own, shared) = self.pair, revealed
        strengths = [pair.difference(pair.strengths(*one)) for one in ((q, own), (m, shared))]
        noisy, clean = (
            pair.difference(pair.signals(label_strength(q0, noise), noise))
            for noise in (self.noise, 0.0)
        )
        errors = (self._distance(signal).value(*strengths) for signal in (noisy, clean))
        return TestErrors(*errors)

    def with_diagonal(self, variance: float) -> TwoTokenKernel:
        """The kernel of a wrong theory, with another variance of diagonal scores than 2."""
        return replace(self, pair=ScorePair(diagonal=1 + variance))

    def population_losses(self, q0: float) -> tuple[PopulationLoss, ...]:
        return (self._distance(label_strength(q0, self.noise)),)

    def _distance(self, signal: float) -> SquaredDistance:
        return SquaredDistance(signal, self.pair.diagonal, self.beta, self.beta0)

    def _lattice(self, signal: float, level: int) -> Lattice:
        labels = self.pair.of_labels(self.pair.signals(signal, self.noise), signal)
        label_scale = self.beta0 * (labels.diagonal * signal) ** 0.5
        return lattice(_LEVELS[level], label_scale, self.pair, labels)


@lru_cache(maxsize=16)
def _moments(
    kernel: TwoTokenKernel, overlaps: Overlaps, signal: float, level: int
) -> ChannelMoments:
    model = FieldModel.at(overlaps, signal, kernel.beta, kernel.beta0, kernel.pair, kernel.noise)
    nodes = kernel._lattice(signal, level)
    if model.unimodal:
        means, two_minima = model.means(nodes), 0.0
    else:
        means, two_minima = _by_lines(nodes, model, _ROUGHNESS[level])
    return ChannelMoments.of(means[:-2], two_minima, means[-2:])


def _by_lines(
    nodes: Lattice, model: FieldModel, tolerance: float
) -> tuple[NDArray[np.floating], float]:
    """Means over lines whose jumps are integrated exactly.

    The first call of a process loads or makes what is compiled; no budget pays for that.
    """
    with nullcontext() if _LINES in sys.modules else uncounted():
        # Imported here: its compiler takes longer to load than most problems, which have no
        # jumps, take to solve.
        from attlas.solver.channels.two_tokens.lines import integrate

        try:
            return integrate(nodes, model, tolerance)
        except SystemError as error:
            # What interrupts compiled code comes out as the cause of an error of its own.
            raise (error.__cause__ or error) from None
