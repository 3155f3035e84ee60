"""Nodes for the scores of a label and of its field, in independent coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.from_loss.score_loss import ScoreLoss
from attlas.solver.channels.many_tokens.nodes import paired_nodes

Array = NDArray[np.float64]

#: Distances of neighbouring nodes of one combination of scores, in standard deviations.
_LINE = (0.6, 0.42, 0.3, 0.21, 0.15, 0.105, 0.075)
#: The same for two, whose lattice has four dimensions, and the radii of their balls.
_PLANE = (1.0, 0.8, 0.62, 0.5, 0.41, 0.34, 0.29)
_RADII = (5.0, 5.6, 6.2, 6.7, 7.2, 7.6, 8.0)
#: Binary logarithm of the pairs of a randomised set, at each level.
_PAIRS = (6, 8, 9, 10, 11, 12, 13, 14)
#: Sharpness of labels up to which the spacing resolves them.
_RESOLVED = 2.2
#: Nodes worked on at a time.
_BLOCK = 4_096


@dataclass(frozen=True, eq=False)
class NodeSet:
    """Weighted points (a, b) that stand for independent standard normals.

    Attributes
    ----------
    label, field : array (D, N)
    weights : array (N,)
        Positive, sum 1.
    """

    label: Array
    field: Array
    weights: Array

    def blocks(self) -> Iterator[NodeSet]:
        """Some of them at a time."""
        for begin in range(0, self.weights.size, _BLOCK):
            part = slice(begin, begin + _BLOCK)
            yield NodeSet(self.label[:, part], self.field[:, part], self.weights[part])


def node_set(loss: ScoreLoss, sharp: float, level: int) -> NodeSet:
    """The lattice of a level; labels sharper than it resolves make it denser in their directions.

    Parameters
    ----------
    loss : ScoreLoss
    sharp : float
        How many of the label's own scales one standard deviation of a score spans.
    level : int
    """
    # Rounded, so that an iteration meets few different lattices.
    finer = 2.0 ** (np.floor(4 * np.log2(min(1.0, _RESOLVED / sharp))) / 4)
    return _lattice(loss.rank, level, float(finer), *symmetries(loss))


@lru_cache(maxsize=16)
def symmetries(loss: ScoreLoss) -> tuple[bool, bool]:
    """Whether the loss is even in all scores, and whether it is blind to the tokens' order."""
    rng = np.random.default_rng(0)
    z, h = rng.standard_normal((2, loss.rank, 32))
    here = loss(loss.labels(z), h)[0]

    def same(turn: Array) -> bool:
        there = loss(loss.labels(turn[:, None] * z), turn[:, None] * h)[0]
        return bool(np.allclose(here, there, rtol=1e-9, atol=1e-12))

    exchange = np.ones(loss.rank)
    exchange[1:2] = -1
    return same(-np.ones(loss.rank)), loss.rank > 1 and same(exchange)


@lru_cache(maxsize=12)
def _lattice(rank: int, level: int, finer: float, even: bool, alike: bool) -> NodeSet:
    if rank == 1:
        steps, radius = (finer * _LINE[level], _LINE[level]), 8.3
    else:
        steps, radius = (finer * _PLANE[level], _PLANE[level]), _RADII[level]
    axes = [_midpoints(steps[k // rank], radius) for k in range(2 * rank)]
    # A symmetric loss needs one node of each pair.
    if even:
        axes[0] = axes[0][axes[0] > 0]
    if alike:
        axes[1] = axes[1][axes[1] > 0]
    grid = np.meshgrid(*axes, indexing="ij", sparse=True)
    square = np.asarray(sum(axis**2 for axis in grid))
    keep = square < radius**2
    places = np.stack([np.broadcast_to(axis, keep.shape)[keep] for axis in grid])
    weights = np.exp(-0.5 * square[keep])
    return NodeSet(places[:rank], places[rank:], weights / weights.sum())


@lru_cache(maxsize=64)
def sampled(rank: int, level: int, index: int) -> NodeSet:
    """A randomised set of a level."""
    nodes = paired_nodes(rank, _PAIRS[level], index)
    count = nodes.label.shape[1]
    return NodeSet(nodes.label, nodes.field, np.full(count, 1 / count))


def _midpoints(spacing: float, radius: float) -> Array:
    reach = int(np.ceil(radius / spacing))
    return (np.arange(-reach, reach, dtype=np.float64) + 0.5) * spacing
