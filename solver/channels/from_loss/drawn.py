"""Expectations of a convex loss of labels that are drawn: a sum over labels, fields first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from attlas.model import Channel
from attlas.model.channels import label_strength
from attlas.model.channels.channel import Matrix
from attlas.model.channels.functions import Plain
from attlas.model.errors import BadInput, ComputationFailed
from attlas.solver.channels.from_loss.proximal import proximal_point, response
from attlas.solver.channels.from_loss.residual_loss import numeric, written
from attlas.solver.channels.from_loss.score_loss import ScoreLoss, whitened
from attlas.solver.channels.kernel import ChannelKernel, ChannelMoments, TestErrors
from attlas.solver.channels.many_tokens.nodes import REPLICATES, paired_nodes
from attlas.solver.channels.row_errors import row_errors
from attlas.solver.order_parameters import Overlaps
from attlas.symbolic.channels.loss import Symbols

Array = NDArray[np.float64]

#: Gauss-Hermite nodes of each combination of scores, of the field and of what it leaves open.
_FIELD = (10, 16, 24, 36, 54, 80)
_REST = (8, 12, 16, 22, 30, 40)
#: Binary logarithm of the pairs of a randomised set, at each level.
_PAIRS = (4, 6, 7, 8, 9, 10, 11, 12)
#: Relative agreement of two levels at which a test error is taken.
_AGREED = 1e-9
#: Level of the randomised sets at which test errors are taken.
_TEST_LEVEL = 4
#: Fields times open scores worked on at a time.
_BLOCK = 100_000


@dataclass(frozen=True, eq=False)
class LabelLaw:
    """P(y | zeta0), with its gradient, of labels that stand for all that may be drawn.

    Attributes
    ----------
    outcomes : tuple of T x T matrix
        One of each set that differ by the order of the tokens.
    count : tuple of int
        How many a set has.
    terms : callable
        zeta0, as a list of arrays (N,), to the probabilities and then their derivatives in each
        component, shape (outcomes (1 + D), N).
    """

    outcomes: tuple[Matrix, ...]
    count: tuple[int, ...]
    terms: Callable[[list[Array]], Array]


@lru_cache(maxsize=16)
def label_law(channel: Channel) -> LabelLaw:
    """The law of a channel's labels as a function of whitened scores."""
    zeta, scores = whitened(channel)
    weights = written(channel, lambda: list(channel.probabilities(scores, Symbols())))
    kept, count = _orbits(channel)
    terms = []
    for index in kept:
        weight = weights[index]
        terms += [weight, *(sp.diff(weight, z) for z in zeta)]
    outcomes = tuple(channel.outcomes[index] for index in kept)
    return LabelLaw(outcomes, count, numeric(list(zeta), terms))


def _orbits(channel: Channel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Labels up to the order of the tokens, as far as neither law nor loss sees it."""
    size = range(channel.tokens)
    z, h = ([[((a + b + 2) ** k % 5 + a * b) / 7 for b in size] for a in size] for k in (2, 3))

    def turned(matrix: Matrix, order: Sequence[int]) -> Matrix:
        return tuple(tuple(matrix[a][b] for b in order) for a in order)

    places = {outcome: index for index, outcome in enumerate(channel.outcomes)}
    law = channel.probabilities(z, Plain())
    orbits: dict[int, set[int]] = {index: {index} for index in places.values()}
    for order in permutations(size):
        moved = channel.probabilities(turned(z, order), Plain())
        for outcome, index in places.items():
            other = places.get(turned(outcome, order))
            if other is None:
                return tuple(places.values()), (1,) * len(places)
            same = abs(moved[other] - law[index]) < 1e-12
            here = channel.loss(outcome, h, Plain())
            there = channel.loss(turned(outcome, order), turned(h, order), Plain())
            if not same or abs(here - there) > 1e-12:
                return tuple(places.values()), (1,) * len(places)
            orbits[index].add(other)
    kept = tuple(index for index, orbit in orbits.items() if index == min(orbit))
    return kept, tuple(len(orbits[index]) for index in kept)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Fields with weights, and what each leaves open.

    Attributes
    ----------
    field : array (D, sets N)
    weights : array (N,)
        Of each set alone, sum 1.
    rest : array (D, K, sets N or 1)
        For every field its own, or the same for all.
    shares : array (K,)
        Sum 1.
    """

    field: Array
    weights: Array
    rest: Array
    shares: Array

    def blocks(self) -> Iterator[tuple[slice, Array, Array]]:
        """Some of the fields at a time, and what they leave open."""
        size = max(1, _BLOCK // self.rest.shape[1])
        for begin in range(0, self.field.shape[1], size):
            part = slice(begin, begin + size)
            own = part if self.rest.shape[2] > 1 else slice(1)
            yield part, self.field[:, part], self.rest[:, :, own]


@dataclass(frozen=True)
class DrawnKernel:
    """omega = sqrt(q) c and zeta0 = (m/sqrt(q)) c + s b with s^2 = Q - m^2/q.

    The proximal point depends on the label and the field alone: labels are summed over, with
    P(y | omega), the mean over b. theory.md section 18.

    Parameters
    ----------
    channel : Channel
    loss : ScoreLoss
    attention : ChannelKernel or None
        That of the attention matrix.
    """

    channel: Channel
    loss: ScoreLoss
    attention: ChannelKernel | None

    @property
    def finest(self) -> int:
        return len(_FIELD) - 1

    @property
    def scale(self) -> float:
        return float(self.channel.scale)

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return self._nodes(level).field.shape[1]

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        found = _moments(self.loss, overlaps, signal, self._nodes(level))
        return ChannelMoments.of(found.mean(axis=1), 0.0)

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,
        revealed: tuple[float, float] = (0.0, 0.0),  # noqa: ARG002
    ) -> TestErrors:
        noisy = label_strength(q0, float(self.channel.noise))
        clean = self._test_error(q, m, q0)
        return TestErrors(
            clean if noisy == q0 else self._test_error(q, m, noisy),
            clean,
            **row_errors(self.channel, self.attention, q, m, q0, mse),
        )

    def _test_error(self, q: float, m: float, signal: float) -> float:
        before, at = np.inf, Overlaps(q=q, m=m, sigma=0.0)
        for level in range(self.finest + 1):
            value = self.moments(at, signal, level).train_error
            if abs(value - before) <= _AGREED * abs(value) + 1e-15:
                return value
            before = value
        raise ComputationFailed(
            f"The test error of the {self.channel.name} channel was not found to nine digits: its "
            "loss varies too fast with the scores."
        )

    def _nodes(self, level: int) -> _Nodes:
        return _product(self.loss.rank, level)


@dataclass(frozen=True)
class ReplicatedDrawnKernel(DrawnKernel):
    """The same on independent randomisations of nodes, beyond two combinations of scores."""

    used: tuple[int, ...] = tuple(range(REPLICATES))

    @property
    def finest(self) -> int:
        return len(_PAIRS) - 1

    @property
    def replicates(self) -> int:
        """Number of independent randomisations averaged over."""
        return len(self.used)

    @property
    def rtol(self) -> float:
        """Relative accuracy that is reached in seconds to minutes."""
        return 1e-3

    def replicate(self, index: int) -> ReplicatedDrawnKernel:
        """The same expectations from one of the randomisations alone."""
        return replace(self, used=(self.used[index],))

    def replicate_moments(
        self, overlaps: Overlaps, signal: float, level: int
    ) -> tuple[ChannelMoments, ...]:
        """Moments from each randomisation alone; their mean is ``moments``."""
        found = _moments(self.loss, overlaps, signal, self._nodes(level))
        return tuple(ChannelMoments.of(column, 0.0) for column in found.T)

    def _test_error(self, q: float, m: float, signal: float) -> float:
        at = Overlaps(q=q, m=m, sigma=0.0)
        return self.moments(at, signal, _TEST_LEVEL).train_error

    def _nodes(self, level: int) -> _Nodes:
        return _sampled(self.loss.rank, level, self.used)


def drawn_kernel(channel: Channel, loss: ScoreLoss, attention: ChannelKernel | None) -> DrawnKernel:
    """The kernel of a channel whose labels are drawn.

    Raises
    ------
    BadInput
        If its loss is not known to be convex.
    """
    if not channel.convex:
        raise BadInput(
            "channel",
            channel.name,
            "must have a convex loss (convex = True) where its labels are drawn",
        )
    return (DrawnKernel if loss.rank <= 2 else ReplicatedDrawnKernel)(channel, loss, attention)


@lru_cache(maxsize=12)
def _product(rank: int, level: int) -> _Nodes:
    (field, weights), (rest, shares) = (_hermite(rank, sizes[level]) for sizes in (_FIELD, _REST))
    return _Nodes(field, weights, rest[:, :, None], shares)


def _hermite(rank: int, size: int) -> tuple[Array, Array]:
    """Nodes (rank, N) of independent standard normals, those without weight left out."""
    x, w = np.polynomial.hermite_e.hermegauss(size)
    places = np.stack(np.meshgrid(*[x] * rank, indexing="ij")).reshape(rank, -1)
    weights = np.prod(np.meshgrid(*[w / w.sum()] * rank, indexing="ij"), axis=0).ravel()
    keep = weights > 1e-18
    return places[:, keep], weights[keep]


@lru_cache(maxsize=32)
def _sampled(rank: int, level: int, used: tuple[int, ...]) -> _Nodes:
    sets = [paired_nodes(rank, _PAIRS[level], index) for index in used]
    label, field = (
        np.concatenate([getattr(one, name) for one in sets], axis=1) for name in ("label", "field")
    )
    count = label.shape[1] // len(used)
    return _Nodes(label, np.full(count, 1 / count), field[:, None], np.ones(1))


@lru_cache(maxsize=64)
def _moments(loss: ScoreLoss, overlaps: Overlaps, signal: float, nodes: _Nodes) -> Array:
    """Energy, its three derivatives, loss and response of each set of nodes, shape (6, sets)."""
    sigma, root = overlaps.sigma, overlaps.q**0.5
    slope = overlaps.m / root if root > 0 else 0.0
    open_ = max(signal - slope**2, 0.0) ** 0.5
    law, rank = label_law(loss.channel), loss.rank
    choices = np.array(law.outcomes, dtype=float).reshape(len(law.count), -1)
    rows = np.empty((6, nodes.field.shape[1]))
    for part, places, rest in nodes.blocks():
        behind = slope * places[:, None, :] + open_ * rest
        terms = law.terms(list(behind.reshape(rank, -1)))
        terms = terms.reshape(-1, *behind.shape[1:]).transpose(0, 2, 1) @ nodes.shares
        terms = terms.reshape(len(choices), 1 + rank, -1) * np.array(law.count)[:, None, None]
        # Every outcome at every field, one after the other.
        size = places.shape[1]
        field = np.tile(root * places, len(choices))
        point = proximal_point(loss, np.repeat(choices.T, size, axis=1), field, sigma, field)
        squared = np.sum(point.gradient**2, axis=0)
        bend, both = response(point.hessian, sigma, convex=True)
        weight, slopes = terms[:, 0].ravel(), terms[:, 1:].transpose(1, 0, 2).reshape(rank, -1)
        found = np.stack(
            [
                weight * (point.value + 0.5 * sigma * squared),
                weight * (-0.5 * squared),
                np.sum(slopes * point.gradient, axis=0),
                weight * (0.5 * bend),
                weight * point.value,
                weight * both,
            ]
        )
        rows[:, part] = found.reshape(6, len(choices), size).sum(axis=1)
    return rows.reshape(6, -1, nodes.weights.size) @ nodes.weights
