"""Expectations of any smooth loss of the scores of one or two tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attlas.model import Channel
from attlas.model.channels import label_strength
from attlas.model.errors import BadInput, ComputationFailed
from attlas.solver.channels.from_loss.nodes import NodeSet, node_set, sampled
from attlas.solver.channels.from_loss.proximal import Point, proximal_point, response
from attlas.solver.channels.from_loss.score_loss import ScoreLoss
from attlas.solver.channels.kernel import (
    MOMENT_KEYS,
    USUAL,
    ChannelKernel,
    ChannelMoments,
    ScoreTokens,
    TestErrors,
)
from attlas.solver.channels.many_tokens.nodes import REPLICATES
from attlas.solver.channels.row_errors import row_errors
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.float64]

#: Levels of the lattice, and of the randomised nodes.
_LATTICES, _SAMPLES = 7, 8
#: Relative agreement of two lattices at which a test error is taken.
_AGREED = 1e-9
#: Factor on the least curvature that was met, beyond which there may be two minima.
CAUTION = 1.1
#: Distance, relative, at which two minima count as different.
_APART = 1e-5
#: Nodes up to which their labels are kept from one step of an iteration to the next.
_REMEMBERED = 100_000
#: Smallest variance of the field over that of the scores, for the envelope forms of derivatives.
FLOOR = 1e-12


@dataclass(frozen=True)
class LossKernel:
    """The proximal problem solved at nodes (a, b) of label and field (theory.md section 3).

    zeta_0 = sqrt(Q) a and omega = (m/sqrt(Q)) a + s b in coordinates with independent components
    of unit variance.

    Parameters
    ----------
    channel : Channel
    loss : ScoreLoss
    tokens : ScoreTokens
    attention : ChannelKernel, optional
        That of the attention matrix, where the loss is not its squared distance.
    """

    channel: Channel
    loss: ScoreLoss
    tokens: ScoreTokens = USUAL
    attention: ChannelKernel | None = None

    @property
    def finest(self) -> int:
        return _LATTICES - 1

    @property
    def scale(self) -> float:
        return float(self.channel.scale)

    def nodes(self, signal: float, level: int) -> int:
        return self._nodes(signal, level).weights.size

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        return _moments(self.loss, overlaps, self._signals(signal), self._nodes(signal, level))

    def with_tokens(self, tokens: ScoreTokens) -> LossKernel:
        if tokens.positions:
            raise BadInput(
                "channel",
                self.channel.name,
                "has no theory for correlated positions: its kernel is made from its loss",
            )
        if self.channel.attention is not None or self.channel.tokens > 2:
            valid = "has no theory yet for tokens whose norm fluctuates otherwise"
            raise BadInput("channel", self.channel.name, valid)
        return replace(self, tokens=tokens)

    def _signals(self, signal: float) -> tuple[float, ...]:
        """Q of each component of zeta."""
        return tuple(signal + float(p) * self.tokens.teacher for p in self.loss.shares)

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        noisy = label_strength(q0, float(self.channel.noise))
        given = Overlaps(q, m, 0.0, revealed=revealed)
        clean = self._test_error(given, q0)
        # Of a row of independent scores no attention matrix is measured.
        kernel = self.attention if self.loss.whole else None
        rows = row_errors(self.channel, kernel, q, m, q0, mse)
        return TestErrors(clean if noisy == q0 else self._test_error(given, noisy), clean, **rows)

    def _test_error(self, given: Overlaps, signal: float) -> float:
        before = np.inf
        for level in range(_LATTICES):
            value = _fresh_loss(self.loss, given, self._signals(signal), self._nodes(signal, level))
            if abs(value - before) <= _AGREED * abs(value) + 1e-15:
                return value
            before = value
        raise ComputationFailed(
            f"The test error of the {self.channel.name} channel was not found to nine digits: its "
            "loss varies too fast with the scores."
        )

    def _nodes(self, signal: float, level: int) -> NodeSet:
        sharp = float(self.channel.sharpness * self.channel.scale) * (3 * signal) ** 0.5
        return node_set(self.loss, sharp, level)


@dataclass(frozen=True)
class ReplicatedLossKernel(LossKernel):
    """The same on independent randomisations of nodes, for three combinations of scores."""

    used: tuple[int, ...] = tuple(range(REPLICATES))

    @property
    def finest(self) -> int:
        return _SAMPLES - 1

    @property
    def replicates(self) -> int:
        """Number of independent randomisations averaged over."""
        return len(self.used)

    @property
    def rtol(self) -> float:
        """Relative accuracy that is reached in seconds to minutes."""
        return 1e-3

    def replicate(self, index: int) -> ReplicatedLossKernel:
        """The same expectations from one of the randomisations alone."""
        return replace(self, used=(self.used[index],))

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return self.replicates * sampled(self.loss.rank, level, 0).weights.size

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        found = self.replicate_moments(overlaps, signal, level)
        means = ((key, np.mean([getattr(f, key) for f in found])) for key in MOMENT_KEYS)
        return ChannelMoments(**{key: float(mean) for key, mean in means})

    def replicate_moments(
        self, overlaps: Overlaps, signal: float, level: int
    ) -> tuple[ChannelMoments, ...]:
        """Moments from each randomisation alone; their mean is ``moments``."""
        sets = (sampled(self.loss.rank, level, index) for index in self.used)
        signals = self._signals(signal)
        return tuple(_moments(self.loss, overlaps, signals, nodes) for nodes in sets)

    def _test_error(self, given: Overlaps, signal: float) -> float:
        sets = (sampled(self.loss.rank, self.finest, index) for index in self.used)
        signals = self._signals(signal)
        return float(np.mean([_fresh_loss(self.loss, given, signals, nodes) for nodes in sets]))


def _labelled(
    loss: ScoreLoss, signals: tuple[float, ...], nodes: NodeSet
) -> Iterable[tuple[NodeSet, Array]]:
    """Blocks of nodes with their labels, which only the signals move."""
    if nodes.weights.size <= _REMEMBERED:
        return _remembered(loss, signals, nodes)
    return _made(loss, signals, nodes)


def _made(
    loss: ScoreLoss, signals: tuple[float, ...], nodes: NodeSet
) -> Iterator[tuple[NodeSet, Array]]:
    for part in nodes.blocks():
        yield part, loss.labels(np.array(signals)[:, None] ** 0.5 * part.label)


@lru_cache(maxsize=16)
def _remembered(
    loss: ScoreLoss, signals: tuple[float, ...], nodes: NodeSet
) -> list[tuple[NodeSet, Array]]:
    return list(_made(loss, signals, nodes))


def _strengths(
    loss: ScoreLoss, overlaps: Overlaps, signals: tuple[float, ...]
) -> tuple[Array, Array, Array]:
    """sqrt(Q), q and m of each component of zeta, shape (D, 1)."""
    own, shared = (one * loss.shares[:, None] for one in overlaps.revealed)
    return np.array(signals)[:, None] ** 0.5, overlaps.q + own, overlaps.m + shared


def _fresh_loss(
    loss: ScoreLoss, given: Overlaps, signals: tuple[float, ...], nodes: NodeSet
) -> float:
    """The mean loss of a student at fresh scores."""
    root, q, m = _strengths(loss, given, signals)
    spread = np.maximum(q - (m / root) ** 2, 0.0) ** 0.5
    total = 0.0
    for part, labels in _labelled(loss, signals, nodes):
        zeta = (m / root) * part.label + spread * part.field
        total += float(loss.value([*labels, *zeta])[0] @ part.weights)
    return loss.copies * total


@lru_cache(maxsize=64)
def _moments(
    loss: ScoreLoss, overlaps: Overlaps, signals: tuple[float, ...], nodes: NodeSet
) -> ChannelMoments:
    sigma = overlaps.sigma
    root, q, m = _strengths(loss, overlaps, signals)
    slope = m / root
    # At s = 0 the envelope forms of the derivatives are 0/0.
    floor = FLOOR * np.maximum(q, (root * float(loss.channel.scale)) ** 2)
    spread = np.maximum(q - slope**2, floor) ** 0.5
    shares = loss.shares
    total, several = np.zeros(8), 0.0
    for part, labels in _labelled(loss, signals, nodes):
        field = slope * part.label + spread * part.field
        point, apart = _global(loss, labels, field, sigma, root * part.label)
        pull = -point.gradient
        squared = np.sum(pull**2, axis=0)
        along_field = pull * part.field / spread
        along_label = (slope * along_field - pull * part.label) / root
        along_field *= -0.5
        rows = np.stack(
            [
                point.value + 0.5 * sigma * squared,
                -0.5 * squared,
                along_label.sum(axis=0),
                along_field.sum(axis=0),
                point.value,
                response(point.hessian, sigma)[1],
                shares @ along_field,
                shares @ along_label,
            ]
        )
        total += rows @ part.weights
        several += float(part.weights[apart].sum())
    total *= loss.copies
    return ChannelMoments.of(total[:-2], several, total[-2:])


def _global(
    loss: ScoreLoss, labels: Array, field: Array, sigma: float, behind: Array
) -> tuple[Point, NDArray[np.bool_]]:
    """The lower of the minima found from the field and from the scores that fit the label."""
    one = proximal_point(loss, labels, field, sigma, field)
    if loss.channel.convex or 1 + CAUTION * sigma * loss.least_curvature > 0:
        return one, np.zeros(field.shape[1], dtype=bool)
    other = proximal_point(loss, labels, field, sigma, float(loss.channel.scale) * behind)
    cost = [sigma * p.value + 0.5 * np.sum((p.zeta - field) ** 2, axis=0) for p in (one, other)]
    away = np.max(np.abs(one.zeta - other.zeta), axis=0)
    apart = away > _APART * (1 + np.max(np.abs(one.zeta), axis=0))
    lower, pairs = cost[1] < cost[0], zip(vars(one).values(), vars(other).values(), strict=True)
    return Point(*(np.where(lower, b, a) for a, b in pairs)), apart
