"""Expectations of a smooth loss of one combination of scores, split where the point jumps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from attlas.solver.channels.from_loss.kernel import CAUTION, FLOOR, LossKernel
from attlas.solver.channels.from_loss.nodes import symmetries
from attlas.solver.channels.from_loss.proximal import proximal_point
from attlas.solver.channels.from_loss.score_loss import ScoreLoss
from attlas.solver.channels.kernel import ChannelMoments
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.float64]

#: Gauss-Legendre nodes of each panel, at each level.
_NODES = (8, 12, 16, 24, 32, 48)
#: Panels of the label's variable, and of each piece of the scores.
_PANELS, _PIECES = 8, 3
#: Standard deviations that are integrated over.
_REACH = 8.5
#: Trial scores between which turns of the proximal map are looked for, per node of a panel.
_TRIALS = 24
#: Least slope of the field along the point, where the point is about to jump.
_FLATTEST = 1e-12
#: Newton steps of the ends of a jump.
_STEPS = 6


@dataclass(frozen=True)
class LineKernel(LossKernel):
    """Given the label, an integral over the proximal point instead of over the field.

    The field omega = zeta + sigma l'(zeta) is explicit in the point zeta, which moves through
    every interval on which it is the global minimum; between them lie jumps, whose ends have one
    field and one minimum. No proximal problem is solved at a node, and nothing that jumps is
    integrated across. theory.md section 19.
    """

    @property
    def finest(self) -> int:
        return len(_NODES) - 1

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return _PANELS * _PIECES * _NODES[level] ** 2

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        return _moments(self.loss, overlaps, signal, _NODES[level])


@lru_cache(maxsize=64)
def _moments(loss: ScoreLoss, overlaps: Overlaps, signal: float, count: int) -> ChannelMoments:
    root, sigma = signal**0.5, overlaps.sigma
    slope = overlaps.m / root
    floor = FLOOR * max(overlaps.q, signal * float(loss.channel.scale) ** 2)
    spread = max(overlaps.q - overlaps.m**2 / signal, floor) ** 0.5
    even = symmetries(loss)[0]  # one label of each pair is then enough
    start, panels = (0.0, _PANELS // 2) if even else (-_REACH, _PANELS)
    (a,), (weight,) = _panels(np.array([start]), np.array([_REACH]), panels, count)
    weight = weight * np.exp(-0.5 * a**2)
    weight /= weight.sum()
    labels = loss.labels(root * a[None])
    pieces, several = _pieces(loss, labels, sigma, slope * a, spread, count)
    which, low, high = pieces
    zeta, step = _panels(low, high, _PIECES, count)
    owner = np.repeat(which, zeta.shape[1])
    zeta, step = zeta.ravel(), step.ravel()
    value, gradient, hessian = loss(labels[:, owner], zeta[None])
    pull, bend = -gradient[0], hessian[0, 0]
    stretch = np.maximum(1 + sigma * bend, 0.0)
    b = (zeta - sigma * pull - slope * a[owner]) / spread
    density = np.exp(-0.5 * b**2) / (spread * (2 * np.pi) ** 0.5)
    measure = weight[owner] * step * stretch * density
    measure /= measure.sum()
    along_label, along_field = pull * a[owner], pull * b
    rows = np.stack(
        [
            value + 0.5 * sigma * pull**2,
            -0.5 * pull**2,
            -along_label / root + (slope / root) * (along_field / spread),
            -along_field / (2 * spread),
            value,
            (bend / np.maximum(stretch, _FLATTEST)) ** 2,
        ]
    )
    total = loss.copies * (rows @ measure)
    share = 1 - (1 - min(1.0, float(weight @ several))) ** loss.copies
    return ChannelMoments.of(total, share)


def _panels(low: Array, high: Array, panels: int, count: int) -> tuple[Array, Array]:
    """Nodes and weights of equal panels of each interval, shape (intervals, panels count)."""
    x, w = np.polynomial.legendre.leggauss(count)
    places = (np.arange(panels)[:, None] + 0.5 * (1 + x)).ravel() / panels
    length = (high - low)[:, None]
    return low[:, None] + length * places, length * np.tile(0.5 * w / panels, panels)


def _pieces(
    loss: ScoreLoss, labels: Array, sigma: float, mean: Array, spread: float, count: int
) -> tuple[tuple[NDArray[np.intp], Array, Array], Array]:
    """Intervals of the proximal point of each label, and the chance of two minima.

    Returns
    -------
    which, low, high : arrays (P,)
        The label of each interval, and its ends.
    several : array (N,)
    """
    size = mean.size
    ends, several = [mean - _REACH * spread, mean + _REACH * spread], np.zeros(size)
    if loss.channel.convex or 1 + CAUTION * sigma * loss.least_curvature > 0:
        low, high = (
            proximal_point(loss, labels, end[None], sigma, end[None]).zeta[0] for end in ends
        )
        return (np.arange(size), low, high), several
    # A loss is not negative: the global minimum lies within sqrt(2 sigma l(omega)) of omega.
    far = [np.sqrt(2 * sigma * np.maximum(loss.value([*labels, end])[0], 0.0)) for end in ends]
    shares = np.linspace(0.0, 1.0, _TRIALS * count)
    start = (ends[0] - far[0])[:, None]
    grid = start + ((ends[1] + far[1])[:, None] - start) * shares
    found = loss.terms([*np.repeat(labels, shares.size, axis=1), grid.ravel()])
    height = sigma * found[0].reshape(grid.shape) + 0.5 * grid**2
    field = grid + sigma * found[1].reshape(grid.shape)
    places = [np.argmin(height - end[:, None] * grid, axis=1) for end in ends]
    low, high = (
        proximal_point(loss, labels, end[None], sigma, grid[np.arange(size), place][None]).zeta[0]
        for end, place in zip(ends, places, strict=True)
    )
    owner, left, right, turns = _jumps(grid, height, field, ends)
    left, right = _sharpened(loss, labels[:, owner], sigma, left, right)
    several += np.bincount(
        owner,
        np.abs(np.diff(ndtr((turns - mean[owner, None]) / spread), axis=1))[:, 0],
        minlength=size,
    )
    which = np.concatenate([np.arange(size), owner])
    begins, stops = np.concatenate([low, right]), np.concatenate([left, high])
    order = np.lexsort((begins, which))
    # The stop of a piece is the left end of the next jump of the same label.
    stop_order = np.lexsort((stops, np.concatenate([owner, np.arange(size)])))
    which, begins, stops = which[order], begins[order], stops[stop_order]
    begins = np.maximum(begins, low[which])
    stops = np.minimum(stops, high[which])
    kept = stops > begins
    return (which[kept], begins[kept], stops[kept]), several


def _jumps(
    grid: Array, height: Array, field: Array, reach: list[Array]
) -> tuple[NDArray[np.intp], Array, Array, Array]:
    """On a grid: label, both ends, and the fields between which there are two minima.

    Ends share a tangent of ``height``, whose slope is ``field``: chords and tangents in turn.
    Jumps outside the fields that are reached are left out.
    """
    falls = np.diff(field, axis=1) < 0
    begins = falls & ~np.pad(falls, ((0, 0), (1, 0)))[:, :-1]
    ends = falls & ~np.pad(falls, ((0, 0), (0, 1)))[:, 1:]
    owner, first = np.nonzero(begins)
    last = np.nonzero(ends)[1] + 1
    same = owner[1:] == owner[:-1]
    before = np.concatenate([[0], np.where(same, last[:-1], 0)])[: owner.size]
    after = np.concatenate([np.where(same, first[1:] + 1, grid.shape[1]), [grid.shape[1]]])
    low, high = field[owner, last], field[owner, first]
    met = (high > reach[0][owner]) & (low < reach[1][owner])
    left, right = [], []
    for index in np.flatnonzero(met):
        n, i, j = owner[index], first[index], last[index]
        one, two = slice(before[index], i + 1), slice(j, after[index])
        x, y = grid[n, i], grid[n, j]
        for _ in range(30):
            heights = np.interp(np.array([x, y]), grid[n], height[n])
            chord = (heights[1] - heights[0]) / (y - x)
            moved = (
                np.interp(chord, field[n, one], grid[n, one]),
                np.interp(chord, field[n, two], grid[n, two]),
            )
            settled = abs(moved[0] - x) + abs(moved[1] - y) < 1e-6 * (y - x)
            x, y = float(moved[0]), float(moved[1])
            if settled:
                break
        left.append(x)
        right.append(y)
    return owner[met], np.array(left), np.array(right), np.stack([low, high], axis=1)[met]


def _sharpened(
    loss: ScoreLoss, labels: Array, sigma: float, left: Array, right: Array
) -> tuple[Array, Array]:
    """Ends of jumps by Newton's method on the common tangent."""
    for _ in range(_STEPS if left.size else 0):
        values = [loss(labels, end[None]) for end in (left, right)]
        heights = [
            sigma * value[0] + 0.5 * end**2
            for value, end in zip(values, (left, right), strict=True)
        ]
        chord = (heights[1] - heights[0]) / (right - left)
        moved = []
        for (_, gradient, hessian), end in zip(values, (left, right), strict=True):
            stretch = np.maximum(1 + sigma * hessian[0, 0], 1e-3)
            step = (chord - end - sigma * gradient[0]) / stretch
            moved.append(end + np.clip(step, *(0.2 * (right - left) * np.array([[-1], [1]]))))
        left, right = moved
    return left, right
