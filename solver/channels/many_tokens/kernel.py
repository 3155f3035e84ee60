"""Expectations of the softmax channel for any number of tokens, by randomised quasi-Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from attlas.model.channels import label_strength
from attlas.model.errors import BadInput
from attlas.solver.channels.kernel import (
    MOMENT_KEYS,
    ChannelMoments,
    PopulationLoss,
    ScoreTokens,
    TestErrors,
)
from attlas.solver.channels.many_tokens.fields import FieldModel
from attlas.solver.channels.many_tokens.nodes import REPLICATES, Array, normal_points, paired_nodes
from attlas.solver.channels.many_tokens.row_agreement import is_smooth, squared_distance
from attlas.solver.channels.many_tokens.row_expansion import EXPANDED_TOKENS, ExpandedRow
from attlas.solver.channels.many_tokens.row_sampling import SampledRow
from attlas.solver.channels.many_tokens.scores import (
    ReducedScores,
    reduced_scores,
    token_scores,
)
from attlas.solver.channels.many_tokens.softmax_loss import attention_at
from attlas.solver.order_parameters import Overlaps

#: Binary logarithm of the pairs of nodes of a replicate, at each level.
_LEVELS = (5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
#: The same for the test error of sharp scores.
_TEST_ERROR_POINTS = 14
#: The same for its slopes, which training in time asks for at every step.
_SLOPE_POINTS = 12
#: Memory that the nodes of one level may take, in bytes.
_NODE_MEMORY = 1.8e8
#: Doubles that the matrices of one chunk of samples may take: about what a core's cache holds.
_CHUNK = 1 << 17
_MOST_TOKENS = 8


@dataclass(frozen=True)
class ManyTokenKernel:
    """The channel y = softmax_rows(beta0 z0) for any T >= 2 (theory.md sections 3, 4 and 6).

    The integrals have 2 D = T^2 + T - 2 dimensions. They are averages over independent replicates
    of scrambled Sobol nodes; :meth:`replicate` gives the kernel of one of them.

    Parameters
    ----------
    tokens : int
    beta, beta0 : float
    noise : float
        Delta of theory.md.
    used : tuple of int
        The replicates averaged over.
    law : ScoreTokens, optional
        Where tokens are not the usual ones.

    Raises
    ------
    BadInput
        For more than 8 tokens.
    """

    tokens: int
    beta: float
    beta0: float
    noise: float
    used: tuple[int, ...] = tuple(range(REPLICATES))
    law: ScoreTokens | None = None

    def __post_init__(self) -> None:
        if self.tokens > _MOST_TOKENS:
            raise BadInput(
                "tokens",
                self.tokens,
                f"must be at most {_MOST_TOKENS} in theory",
                f"the integrals have T^2 + T - 2 = {self.tokens**2 + self.tokens - 2} dimensions, "
                "their cost grows as T^6, and eight tokens already take several minutes",
            )

    @property
    def finest(self) -> int:
        pair = 2 * 8 * 2 * reduced_scores(self.tokens).dimension
        return max(
            level
            for level, log2_pairs in enumerate(_LEVELS)
            if level == 0 or REPLICATES * pair * 2.0**log2_pairs <= _NODE_MEMORY
        )

    @property
    def scale(self) -> float:
        return self.beta0 / self.beta

    @property
    def replicates(self) -> int:
        """Number of independent randomisations averaged over."""
        return len(self.used)

    @property
    def rtol(self) -> float:
        """Relative accuracy that is reached in seconds to minutes."""
        return 1e-3

    def with_tokens(self, tokens: ScoreTokens) -> ManyTokenKernel:
        token_scores(self.tokens, tokens)
        return replace(self, law=tokens)

    @property
    def scores(self) -> ReducedScores:
        """The coordinates of the scores."""
        if self.law is None:
            return reduced_scores(self.tokens)
        return token_scores(self.tokens, self.law)

    def signals(self, signal: float, noise: float) -> Array:
        """Q of each coordinate, shape (D, 1)."""
        teacher = 0.0 if self.law is None else self.law.teacher
        strengths = signal + self.scores.shares * teacher + (self.scores.noise - 1) * noise / 2
        return strengths[:, None]

    def replicate(self, index: int) -> ManyTokenKernel:
        """The same expectations from one of the randomisations alone."""
        return replace(self, used=(self.used[index],))

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return self.replicates << (_LEVELS[level] + 1)

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        means = _replicate_means(self, overlaps, signal, level).mean(axis=0)
        return ChannelMoments(*(float(mean) for mean in means))

    def replicate_moments(
        self, overlaps: Overlaps, signal: float, level: int
    ) -> tuple[ChannelMoments, ...]:
        """Moments from each randomisation alone; their mean is ``moments``."""
        means = _replicate_means(self, overlaps, signal, level)
        return tuple(ChannelMoments(*(float(mean) for mean in row)) for row in means)

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,  # noqa: ARG002
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        if self.law is not None:
            overlaps = Overlaps(q, m, 0.0, revealed=revealed)
            return TestErrors(*(self._sampled(overlaps, q0, noise) for noise in (self.noise, 0.0)))
        clean = self._test_error(q, m, q0)
        noisy = self._test_error(q, m, label_strength(q0, self.noise)) if self.noise else clean
        return TestErrors(noisy=noisy, clean=clean)

    def population_losses(self, q0: float) -> tuple[PopulationLoss, ...]:
        signal = label_strength(q0, self.noise)
        if self.tokens == EXPANDED_TOKENS and ExpandedRow.takes(signal, self.beta0):
            return (ExpandedRow(signal, self.beta, self.beta0),)
        return tuple(
            SampledRow(
                signal,
                normal_points(2 * (self.tokens - 1), _SLOPE_POINTS, replicate),
                self.beta,
                self.beta0,
            )
            for replicate in self.used
        )

    def _test_error(self, q: float, m: float, signal: float) -> float:
        tokens, beta, beta0 = self.tokens, self.beta, self.beta0
        if is_smooth(q, signal, self.beta, self.beta0):
            return squared_distance(q, m, signal, tokens=tokens, beta=beta, beta0=beta0)
        samples = [normal_points(2 * (tokens - 1), _TEST_ERROR_POINTS, r) for r in self.used]
        return float(
            np.mean([SampledRow(signal, part, beta, beta0).value(q, m) for part in samples])
        )

    def _sampled(self, overlaps: Overlaps, q0: float, noise: float) -> float:
        """Test error at fresh scores, of any law."""
        scores = self.scores
        signals = self.signals(label_strength(q0, noise), noise)
        model = FieldModel.at(overlaps, signals, self.beta, self.beta0, scores)
        total = []
        for index in self.used:
            nodes = paired_nodes(scores.dimension, _SLOPE_POINTS, index)
            labels = attention_at(model.root_signal * nodes.label, self.beta0, scores)
            omega = model.slope * nodes.label + model.spread * nodes.field
            miss = labels - attention_at(omega, self.beta, scores)
            total.append(float(np.einsum("ijn,ijn->", miss, miss)) / miss.shape[2])
        return float(np.mean(total))


@lru_cache(maxsize=4)
def _replicate_means(
    kernel: ManyTokenKernel, overlaps: Overlaps, signal: float, level: int
) -> Array:
    """Moments of each replicate, shape (R, 7); kept, since error bars ask for them again."""
    scores = kernel.scores
    signals = kernel.signals(signal, kernel.noise)
    model = FieldModel.at(overlaps, signals, kernel.beta, kernel.beta0, scores)
    chunk = max(256, _CHUNK // scores.dimension**2)
    size = 2 << _LEVELS[level]
    # Small replicates are evaluated together, large ones in parts.
    together = max(1, chunk // size)
    sums = []
    for first in range(0, kernel.replicates, together):
        group = [
            paired_nodes(scores.dimension, _LEVELS[level], index)
            for index in kernel.used[first : first + together]
        ]
        label = np.concatenate([nodes.label for nodes in group], axis=1)
        field = np.concatenate([nodes.field for nodes in group], axis=1)
        total = np.zeros((len(MOMENT_KEYS), len(group)))
        for begin in range(0, label.shape[1], chunk):
            part = slice(begin, begin + chunk)
            values = model.integrands(label[:, part], field[:, part])
            total += values.reshape(len(MOMENT_KEYS), len(group), -1).sum(axis=2)
        sums.append(total.T / size)
    return np.concatenate(sums)
