"""Integration along lines of fields on which the proximal point jumps or nearly jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray
from scipy.special import ndtr

from attlas.solver.channels.two_tokens.curve import Curve
from attlas.solver.channels.two_tokens.fields import FieldModel, Samples
from attlas.solver.channels.two_tokens.jumps import Stretches, divide
from attlas.solver.channels.two_tokens.lattice import Lattice

Array = NDArray[np.floating]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

#: Share of a move of u + v between neighbours that their slopes may leave unexplained.
SHARE = 0.2
#: Unexplained move, in units of 1/beta, at which a node is solved from all starts.
_DOUBT = 1e-3
_SEARCHES = 24
#: Points of Gauss-Legendre rules on a stretch: as the lattice cut it, and after a division.
_ORDERS = (5, 16)
#: Divisions of a stretch; each halves it or takes a jump out of it.
_ROUNDS = 14
#: Probability of a stretch that is too short to matter.
_NOTHING = 1e-15


@dataclass(frozen=True)
class Found:
    """Proximal points at the nodes of a lattice.

    Attributes
    ----------
    samples : Samples
    h : array (2, N)
    two_minima : float
        Weight of the nodes with more than one local minimum.
    unexplained : array (pairs,), optional
        What ``refine_lines`` asks for; None where nothing can jump.
    """

    samples: Samples
    h: Array
    two_minima: float
    unexplained: Array | None = None


def proximal_points(nodes: Lattice, model: FieldModel) -> Found:
    """Proximal points at all nodes, and the weight of those with more than one local minimum.

    Neighbours are solved from different starts: where there is more than one minimum they differ,
    and those nodes are solved from all starts.
    """
    samples = Samples.on(nodes, model)
    h = model.alternating_minimum(samples)
    if model.unimodal:
        return Found(samples, h, 0.0)
    first = _pairs(nodes)
    unexplained = _unexplained(nodes, model, samples, h, first, SHARE)
    searched = np.zeros(nodes.line.size, dtype=bool)
    two_minima = np.zeros_like(searched)
    # Again, because a search corrects its nodes and thereby shows what is next to them.
    for _ in range(_SEARCHES):
        rough = unexplained > _DOUBT
        # Nodes with two minima lie side by side, and their starts may all lead to the same one.
        rough |= two_minima[first] | two_minima[first + 1]
        doubtful = np.zeros_like(searched)
        doubtful[first[rough]] = doubtful[first[rough] + 1] = True
        doubtful &= ~searched
        index = np.flatnonzero(doubtful)
        if index.size == 0:
            break
        label, field = nodes.label[:, index], nodes.field[:, index]
        h[:, index], two_minima[index] = model.minima(label, field, h[:, index], mixed=True)
        searched |= doubtful
        beside = np.flatnonzero(doubtful[first] | doubtful[first + 1])
        unexplained[beside] = _unexplained(nodes, model, samples, h, first[beside], SHARE)
    return Found(samples, h, float(np.sum(nodes.weights[two_minima])), unexplained)


def rough_lines(
    nodes: Lattice, model: FieldModel, found: Found, *, tolerance: float, share: float = SHARE
) -> Mask:
    """The nodes of the lines on which the lattice cannot follow the proximal point, shape (N,).

    A line is rough if between two nodes the proximal point moves by much more, or less, than its
    slopes at both explain.

    Parameters
    ----------
    nodes : Lattice
    model : FieldModel
    found : Found
        Proximal points at the nodes.
    tolerance : float
        Unexplained move, in units of 1/beta and times its probability, that is let pass.
    share : float
        Share of a move that may stay unexplained, whatever its probability.
    """
    first, unexplained = _pairs(nodes), found.unexplained
    if unexplained is None or share != SHARE:
        unexplained = _unexplained(nodes, model, found.samples, found.h, first, share)
    chance = np.maximum(nodes.weights[first], nodes.weights[first + 1])
    poor = unexplained * chance > tolerance
    chosen = np.zeros(nodes.line[-1] + 1, dtype=bool)
    chosen[nodes.line[first[poor]]] = True
    return chosen[nodes.line]


def refined(nodes: Lattice, model: FieldModel, h: Array, tolerance: float) -> tuple[Samples, Array]:
    """Samples that replace the nodes of whole lines, and their proximal points, shape (2, K).

    Lines are integrated over u + v instead of the field: nothing is singular there, and the jumps
    are left out (curve.py).

    Parameters
    ----------
    nodes : Lattice
        Rough lines.
    model : FieldModel
    h : array (2, N)
        Proximal points at the nodes.
    tolerance : float
        As for ``rough_lines``.
    """
    lines = _Lines.of(nodes, model)
    known = model.global_minimum(nodes.label, nodes.field, h, mixed=True)
    line, place, weights, points = lines.integrate(known, tolerance)
    label, field = lines.curve.label[:, line], lines.curve.field_at(line, place)
    return Samples(label, field, weights, model.problem(label, field)), points


@dataclass(frozen=True)
class _Lines:
    """Whole lines of nodes.

    Attributes
    ----------
    curve : Curve
    line : array (N,)
        Line of each of their nodes, in order.
    start, stop : array (lines,)
        First and last node of each line.
    reach : array (lines,)
        The lines go from -reach to reach.
    weight : array (lines,)
        Probability of a line, over that of its stretch of a normal law.
    """

    curve: Curve
    line: Index
    start: Index
    stop: Index
    reach: Array
    weight: Array

    @classmethod
    def of(cls, nodes: Lattice, model: FieldModel) -> _Lines:
        _, start, line = np.unique(nodes.line, return_index=True, return_inverse=True)
        stop = np.append(start[1:], line.size) - 1
        position = nodes.position
        reach = position[stop] + 0.5 * (position[stop] - position[stop - 1])
        weight = np.add.reduceat(nodes.weights, start) / (2 * ndtr(reach) - 1)
        label, field = nodes.label[:, start], nodes.field[:, start]
        base = field - model.pair.axes[0] * position[start]
        return cls(Curve.on(model, label, base), line, start, stop, reach, weight)

    def integrate(self, known: Array, tolerance: float) -> tuple[Index, Array, Array, Array]:
        """Line, place, weight and proximal point of each sample."""
        stretches = self._stretches(known)
        done: list[tuple[Index, Array, Array, Array]] = []
        for count in range(_ROUNDS):
            order = _ORDERS[min(count, 1)]
            line, place, weights, h = _sample(self.curve, stretches, order)
            own = self.curve.take(stretches.line)
            begin, end = own.place(stretches.low), own.place(stretches.high)
            each = weights.reshape(-1, order)
            visited = np.column_stack([begin, end, place.reshape(-1, order)])
            leftmost, rightmost = np.min(visited, axis=1), np.max(visited, axis=1)
            nearest = np.maximum(0.0, np.maximum(leftmost, -rightmost))
            chance = self.weight[stretches.line] * np.exp(-0.5 * nearest**2)
            # The rule must find the length of its own stretch, and t must rise along it.
            missed = np.abs(np.sum(each, axis=1) - (end - begin))
            good = (missed * chance < 1e-3 * tolerance) & np.all(each > 0, axis=1)
            good |= (rightmost - leftmost) * chance < _NOTHING
            last = count == _ROUNDS - 1
            keep = np.repeat(good | last, order)
            weights = weights * self.weight[line] * np.exp(-0.5 * place**2) / (2 * np.pi) ** 0.5
            done.append((line[keep], place[keep], weights[keep], h[:, keep]))
            if good.all() or last:
                break
            stretches = divide(self.curve, stretches.take(np.flatnonzero(~good)))
        line, place, weights, h = (np.concatenate(x, axis=-1) for x in zip(*done, strict=True))
        return line, place, weights, h

    def _stretches(self, known: Array) -> Stretches:
        model, curve = self.curve.model, self.curve
        count = np.arange(self.reach.size)
        low, high = (
            model.global_minimum(curve.label, curve.field_at(count, place), mixed=True)
            for place in (-self.reach, self.reach)
        )
        inner = np.flatnonzero(self.line[1:] == self.line[:-1])
        return Stretches.join(
            Stretches(self.line[inner], known[:, inner], known[:, inner + 1]),
            Stretches(count, low, known[:, self.start]),
            Stretches(count, known[:, self.stop], high),
        )


def _sample(curve: Curve, stretches: Stretches, order: int) -> tuple[Index, Array, Array, Array]:
    """Gauss-Legendre points in u + v: line, t, weight dt and stationary point of each."""
    x, w = leggauss(order)
    x, w = 0.5 * (1 + x), 0.5 * w
    low, high = stretches.low, stretches.high
    line = np.repeat(stretches.line, order)
    length = (high[0] + high[1]) - (low[0] + low[1])
    total = ((low[0] + low[1])[:, None] + length[:, None] * x).ravel()
    gap = low[0] - low[1]
    guess = (gap[:, None] + ((high[0] - high[1]) - gap)[:, None] * x).ravel()
    own = curve.take(line)
    h = own.at_total(total, guess)
    return line, own.place(h), (length[:, None] * w).ravel() * own.rate(h), h


def _pairs(nodes: Lattice) -> Index:
    """The first of each two neighbours on a line."""
    return np.flatnonzero(nodes.line[1:] == nodes.line[:-1])


def _unexplained(
    nodes: Lattice, model: FieldModel, samples: Samples, h: Array, first: Index, share: float
) -> Array:
    """Unexplained part of the move of u + v between neighbours, times beta; 0 where it is small."""
    problem, beside = samples.problem, first
    if 2 * first.size < nodes.line.size:
        own = np.union1d(first, first + 1)
        beside, h, problem = np.searchsorted(own, first), h[:, own], problem.take(own)
    slope = 1 / model.rate(problem.curvature(h))
    total = h[0] + h[1]
    gap = nodes.position[first + 1] - nodes.position[first]
    moved = total[beside + 1] - total[beside]
    missed = np.abs(moved - 0.5 * gap * (slope[beside] + slope[beside + 1]))
    return np.where(missed > share * moved, missed * model.beta, 0.0)
