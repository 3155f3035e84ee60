"""Integration nodes for two pairs of Gaussian scores: a trapezoidal lattice in four dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.scores import ScorePair

Array = NDArray[np.floating]

#: Label scale beta0 sqrt(c Q) up to which a uniform lattice resolves the teacher's logistic.
_UNIFORM_SCALE = 2.2
#: Label scale beyond which the lattice is graded towards the step of the labels.
_GRADED_SCALE = 5.0
#: Nodes worked on at a time, so that what a Newton step needs stays in the processor's cache.
_BLOCK = 16_384


@dataclass(frozen=True)
class Lattice:
    """Nodes inside a ball of the four whitened scores, with normalised Gaussian weights.

    The integrand is even under the change of all signs and under the exchange of u and v; the
    nodes cover one quarter (one half when graded) and stand for all of it. For analytic
    integrands the trapezoidal rule converges as exp(-2 pi w / spacing), w the width of the strip
    of analyticity, faster than Gauss-Hermite nodes at equal cost.

    Attributes
    ----------
    label : array (2, N)
        Teacher scores (u, v) with covariance C, or another, to be scaled by sqrt(Q).
    field : array (2, N)
        Independent scores (u, v) with covariance C, to be scaled by the field's own spread.
    weights : array (N,)
        Positive, sum 1.
    position : array (N,)
        Place of each node on its line: nodes lie on lines along which u + v of the field varies,
        one line after the other, equally spaced.
    line : array (N,)
        Number of the line of each node.
    """

    label: Array
    field: Array
    weights: Array
    position: Array
    line: NDArray[np.intp]

    def part(self, chosen: NDArray[np.bool_] | slice) -> Lattice:
        """Some of its lines."""
        return Lattice(
            self.label[:, chosen],
            self.field[:, chosen],
            self.weights[chosen],
            self.position[chosen],
            self.line[chosen],
        )

    @staticmethod
    def join(parts: Sequence[Lattice]) -> Lattice:
        """The lines of several lattices, numbered anew."""
        counts = np.cumsum([0, *(part.line[-1] + 1 for part in parts)])
        return Lattice(
            np.concatenate([part.label for part in parts], axis=1),
            np.concatenate([part.field for part in parts], axis=1),
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.line + k for part, k in zip(parts, counts, strict=False)]),
        )

    def blocks(self) -> Iterator[Lattice]:
        """Whole lines of the lattice at a time, of about as many nodes each."""
        wanted = np.arange(0, self.line.size, _BLOCK)
        edges = np.unique(np.searchsorted(self.line, self.line[wanted]))
        for start, stop in zip(edges, [*edges[1:], self.line.size], strict=True):
            block = self.part(slice(start, stop))
            yield replace(block, line=block.line - block.line[0])


@dataclass(frozen=True)
class Fineness:
    """How dense and how wide a lattice is, in standard deviations.

    Attributes
    ----------
    label, field : float
        Distances of neighbouring nodes.
    radius : float
        Radius of the ball.
    """

    label: float
    field: float
    radius: float


def lattice(
    fineness: Fineness, label_scale: float, pair: ScorePair, labels: ScorePair | None = None
) -> Lattice:
    """Nodes of a given fineness, adapted to the sharpness of the labels.

    Parameters
    ----------
    fineness : Fineness
    label_scale : float
        beta0 sqrt(c Q): how many widths of the logistic one standard deviation of u0 spans.
    pair : ScorePair
    labels : ScorePair, optional
        The covariance of the labels' scores where it is another.
    """
    labels = labels or pair
    if label_scale <= _UNIFORM_SCALE:
        return _uniform(fineness, pair, labels)
    if label_scale <= _GRADED_SCALE:
        # Rounded, so that an iteration meets few different lattices.
        fine = 2.0 ** (np.floor(4 * np.log2(_UNIFORM_SCALE / label_scale)) / 4)
        return _uniform(replace(fineness, label=fineness.label * float(fine)), pair, labels)
    return _graded(fineness, 2.0 ** round(np.log2(label_scale)), pair, labels)


@lru_cache(maxsize=12)
def _uniform(fineness: Fineness, pair: ScorePair, labels: ScorePair) -> Lattice:
    radius = fineness.radius
    whole = _midpoints(fineness.field, radius)
    half = _midpoints(fineness.label, radius)
    half = half[half > 0]
    a1, a2, b2, b1 = np.meshgrid(half, half, whole, whole, indexing="ij", sparse=True)
    square = a1**2 + a2**2 + b1**2 + b2**2
    label = labels.unwhiten(*np.broadcast_arrays(a1, a2))
    return _assemble((label[0], label[1]), (b1, b2), -0.5 * square, square < radius**2, pair)


@lru_cache(maxsize=6)
def _graded(fineness: Fineness, label_scale: float, pair: ScorePair, labels: ScorePair) -> Lattice:
    radius = fineness.radius
    whole = _midpoints(fineness.field, radius)
    step = 0.6 * fineness.label
    # x = sinh(t)/scale puts nodes at every distance from the step of the label at x = 0.
    t = (np.arange(int(np.ceil(np.arcsinh(radius * label_scale) / step)) + 1) + 0.5) * step
    t = np.concatenate([-t[::-1], t])
    x = np.sinh(t) / label_scale
    log_slope = np.log(np.cosh(t))
    middle = t.size // 2
    x1, x2, b2, b1 = np.meshgrid(x[middle:], x, whole, whole, indexing="ij", sparse=True)
    slope1, slope2 = log_slope[middle:, None, None, None], log_slope[:, None, None]
    correlation = labels.cross / labels.diagonal
    square = (x1**2 - 2 * correlation * x1 * x2 + x2**2) / (1 - correlation**2)
    square = square + b1**2 + b2**2
    log_weight = -0.5 * square + slope1 + slope2
    spread = labels.diagonal**0.5
    return _assemble((spread * x1, spread * x2), (b1, b2), log_weight, square < radius**2, pair)


def _midpoints(spacing: float, radius: float) -> Array:
    reach = int(np.ceil(radius / spacing))
    return (np.arange(-reach, reach) + 0.5) * spacing


def _assemble(
    label: tuple[Array, Array],
    field_axes: tuple[Array, Array],
    log_weight: Array,
    keep: NDArray[np.bool_],
    pair: ScorePair,
) -> Lattice:
    def flat(values: Array) -> Array:
        return np.broadcast_to(values, keep.shape)[keep]

    weights = np.exp(log_weight[keep])
    lengths = np.sum(keep, axis=-1).ravel()
    lengths = lengths[lengths > 0]
    return Lattice(
        label=np.stack([flat(label[0]), flat(label[1])]),
        field=pair.unwhiten(flat(field_axes[0]), flat(field_axes[1])),
        weights=weights / weights.sum(),
        position=flat(field_axes[0]),
        line=np.repeat(np.arange(lengths.size), lengths),
    )
