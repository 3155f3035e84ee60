"""Integrals over lines of fields on which the proximal point may jump, compiled.

On a line omega = base + t push (1, 1) the stationary points of the proximal problem form a curve.
Its natural coordinate is total = u + v: the difference u - v solves an equation in one unknown that
does not know t, and t follows explicitly, so that nothing is singular where the proximal point
jumps or is steep. On the part of the curve that is the proximal point total never falls with t,
because a proximal map is the gradient of a convex function.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.fields import FieldModel
from attlas.solver.channels.two_tokens.lattice import Lattice
from attlas.solver.channels.two_tokens.scores import SHARES

Array = NDArray[np.floating]

#: Newton converges quadratically: a step below this, in units of 1/beta, leaves an error below
#: rounding.
_LAST_STEP = 1e-7
#: Full Newton steps tried before the objective is searched along the step.
_PLAIN_STEPS = 8
_SEARCHED_STEPS = 60
#: In units of 1/beta: the loss changes on that scale, longer steps would jump over its structure.
_LONGEST_STEP = 2.0
#: Distance, in units of 1/beta, at which two minima count as different.
_APART = 1e-5
#: Distance and length of step, in units of 1/beta, at which Newton ends in the minimum beside it.
_BESIDE = 0.02
#: Scores, in units of 1/beta, whose logistic is 0 or 1 for a start of Newton's method.
_SATURATED = 12.0
#: Share of a move of u + v between neighbours that their slopes may leave unexplained. Small, as a
#: line that changes hands between two evaluations moves the map by what the lattice misses on it.
SHARE = 0.02
#: Divisions of a stretch; each halves it or takes a jump out of it.
_ROUNDS = 14
#: Probability of a stretch that is too short to matter.
_NOTHING = 1e-15
_TIE_STEPS = 40
#: Distance of u + v, in units of 1/beta, below which a jump is none.
_SMALL_JUMP = 1e-5
#: Mismatch of t between the two ends of a jump.
_SAME_PLACE = 1e-9
#: Gauss-Legendre rules on a stretch: as the lattice cut it, and after a division.
_COARSE, _FINE = (np.column_stack([0.5 * (1 + x), 0.5 * w]) for x, w in map(leggauss, (5, 16)))


class Law(NamedTuple):
    """What all samples of one evaluation share; see `fields.FieldModel`.

    ``c`` and ``x`` are the diagonal of the score covariance and the rest; ``scale`` times the
    teacher's score is the score that fits its label. Along u + v (1) and u - v (2), omega given the
    teacher's score is ``gain`` times it, of the given variance.
    """

    c: float
    x: float
    sigma: float
    beta: float
    beta0: float
    scale: float
    signal1: float
    signal2: float
    gain1: float
    gain2: float
    variance1: float
    variance2: float
    share1: float
    share2: float
    push: float


class Line(NamedTuple):
    """A line: its labels, the teacher's scores behind them, and omega at t = 0."""

    y1: float
    y2: float
    a1: float
    a2: float
    w1: float
    w2: float


@njit(cache=True, error_model="numpy")
def _logistic(x: float) -> float:
    small = math.exp(-abs(x))
    return (1.0 if x >= 0 else small) / (1.0 + small)


@njit(cache=True, error_model="numpy")
def _slopes(y: float, h: float, beta: float) -> tuple[float, float]:
    """Minus the gradient of the loss in one score, and its second derivative."""
    small = math.exp(-abs(beta * h))
    whole = 1.0 + small
    s = (1.0 if h >= 0 else small) / whole
    steep = beta * small / (whole * whole)
    miss = y - s
    return 4.0 * miss * steep, 4.0 * steep * (steep - miss * beta * (1.0 - 2.0 * s))


@njit(cache=True, error_model="numpy")
def _objective(law: Law, line: Line, t: float, u: float, v: float) -> float:
    """Loss plus proximal distance."""
    shift = law.push * t
    first = line.y1 - _logistic(law.beta * u)
    second = line.y2 - _logistic(law.beta * v)
    du, dv = u - line.w1 - shift, v - line.w2 - shift
    plus, minus = du + dv, du - dv
    length = 0.5 * plus * plus / (law.c + law.x) + 0.5 * minus * minus / (law.c - law.x)
    return 2.0 * (first * first + second * second) + 0.5 * length / law.sigma


@njit(cache=True, error_model="numpy")
def _descend(
    law: Law, line: Line, t: float, u: float, v: float, known1: float, known2: float
) -> tuple[float, float]:
    """The local minimum damped Newton reaches from a start, or a known one next to its path."""
    w1, w2 = line.w1 + law.push * t, line.w2 + law.push * t
    det = law.c * law.c - law.x * law.x
    stiff = law.c / (det * law.sigma)
    cross = -law.x / (det * law.sigma)
    for count in range(_PLAIN_STEPS + _SEARCHED_STEPS):
        r1, b1 = _slopes(line.y1, u, law.beta)
        r2, b2 = _slopes(line.y2, v, law.beta)
        g1 = r1 - stiff * (u - w1) - cross * (v - w2)
        g2 = r2 - stiff * (v - w2) - cross * (u - w1)
        b1 += stiff
        b2 += stiff
        determinant = b1 * b2 - cross * cross
        if determinant < 1e-4 * stiff * stiff or b1 <= 0:
            # Where the Hessian is not safely positive, its absolute value goes downhill.
            mean, half = 0.5 * (b1 + b2), 0.5 * (b1 - b2)
            radius = math.hypot(half, cross)
            large = max(abs(mean + radius), 1e-3 * stiff)
            small = max(abs(mean - radius), 1e-3 * stiff)
            mean, scale = 0.5 * (large + small), 0.5 * (large - small) / radius
            determinant = large * small
            s1 = ((mean - scale * half) * g1 - scale * cross * g2) / determinant
            s2 = ((mean + scale * half) * g2 - scale * cross * g1) / determinant
        else:
            s1 = (b2 * g1 - cross * g2) / determinant
            s2 = (b1 * g2 - cross * g1) / determinant
        length = max(abs(s1), abs(s2)) * law.beta
        if length > _LONGEST_STEP:
            s1 *= _LONGEST_STEP / length
            s2 *= _LONGEST_STEP / length
        # The objective cannot rank points closer than the root of its rounding.
        if count >= _PLAIN_STEPS and length > 1e-4:
            best, share, lowest = 0.0, 1.0, _objective(law, line, t, u, v)
            for _ in range(12):
                value = _objective(law, line, t, u + share * s1, v + share * s2)
                if value < lowest:
                    best, lowest = share, value
                share *= 0.5
            s1 *= best
            s2 *= best
        u += s1
        v += s2
        if length <= _LAST_STEP:
            break
        if length <= _BESIDE and max(abs(u - known1), abs(v - known2)) * law.beta <= _BESIDE:
            return known1, known2
    return u, v


@njit(cache=True, error_model="numpy")
def _lowest(law: Law, line: Line, t: float, u: float, v: float) -> tuple[float, float, float, bool]:
    """The lowest of the minima found from several starts, its objective, and whether they differ.

    The starts are a given one, omega, the scores that fit the label, and points where one score
    fits its label and the other is where the field then pulls it: at large sigma each score alone
    has two minima.
    """
    u, v = _descend(law, line, t, u, v, math.inf, math.inf)
    value = _objective(law, line, t, u, v)
    w1, w2 = line.w1 + law.push * t, line.w2 + law.push * t
    limit = _SATURATED / law.beta
    f1 = min(max(law.scale * line.a1, -limit), limit)
    f2 = min(max(law.scale * line.a2, -limit), limit)
    several = False
    for start in range(4):
        s1 = w1 if start == 0 else f1
        s2 = w2 if start == 0 else f2
        if start == 2:
            s2 = w2 + (f1 - w1) * law.x / law.c
        elif start == 3:
            s1 = w1 + (f2 - w2) * law.x / law.c
        s1, s2 = _descend(law, line, t, s1, s2, u, v)
        if max(abs(s1 - u), abs(s2 - v)) * law.beta > _APART:
            several = True
            other = _objective(law, line, t, s1, s2)
            if other < value:
                u, v, value = s1, s2, other
    return u, v, value, several


@njit(cache=True, error_model="numpy")
def _at_total(law: Law, line: Line, total: float, gap: float) -> tuple[float, float]:
    """The stationary point with a given u + v, from a guess of u - v."""
    stiff, offset = law.sigma * (law.c - law.x), line.w1 - line.w2
    for _ in range(30):
        r1, b1 = _slopes(line.y1, 0.5 * (total + gap), law.beta)
        r2, b2 = _slopes(line.y2, 0.5 * (total - gap), law.beta)
        slope = 1.0 + 0.5 * stiff * (b1 + b2)
        if slope <= 0.1:
            # Where the equation turns back, the size of the curvature still goes downhill.
            slope = 1.0 + 0.5 * stiff * (abs(b1) + abs(b2))
        step = (gap - offset - stiff * (r1 - r2)) / slope
        size = abs(step) * law.beta
        gap -= step / max(1.0, size)
        if size <= _LAST_STEP:
            break
    return 0.5 * (total + gap), 0.5 * (total - gap)


@njit(cache=True, error_model="numpy")
def _place(law: Law, line: Line, u: float, v: float) -> tuple[float, float]:
    """t at which a point of the curve is stationary, and dt/dtotal there: negative on saddles."""
    r1, b1 = _slopes(line.y1, u, law.beta)
    r2, b2 = _slopes(line.y2, v, law.beta)
    c, x, s = law.c, law.x, law.sigma
    away = u - line.w1 + v - line.w2
    t = (away - s * (c + x) * (r1 + r2)) / (2 * law.push)
    det = (1 + s * c * b1) * (1 + s * c * b2) - s * s * x * x * b1 * b2
    return t, det / (law.push * (2 + s * (c - x) * (b1 + b2)))


@njit(cache=True, error_model="numpy")
def _add(law: Law, line: Line, t: float, weight: float, u: float, v: float, sums: Array) -> None:
    """Add what `fields.FieldModel.integrands` lists, at a point."""
    c, x, s, beta = law.c, law.x, law.sigma, law.beta
    plus, minus = line.a1 + line.a2, line.a1 - line.a2
    x1 = line.w1 + line.w2 - law.gain1 * plus + 2 * t * law.push
    x2 = line.w1 - line.w2 - law.gain2 * minus
    r1, b1 = _slopes(line.y1, u, beta)
    r2, b2 = _slopes(line.y2, v, beta)
    first, second = line.y1 - _logistic(beta * u), line.y2 - _logistic(beta * v)
    loss = 2.0 * (first * first + second * second)
    stretched = r1 * (c * r1 + x * r2) + r2 * (x * r1 + c * r2)
    field1 = 0.5 * (r1 + r2) * x1 / law.variance1
    field2 = 0.5 * (r1 - r2) * x2 / law.variance2
    label1 = law.gain1 * field1 - 0.5 * (r1 + r2) * plus / law.signal1
    label2 = law.gain2 * field2 - 0.5 * (r1 - r2) * minus / law.signal2
    det = (1 + s * c * b1) * (1 + s * c * b2) - s * s * x * x * b1 * b2
    p, q, k = b1 * (1 + s * c * b2) / det, b2 * (1 + s * c * b1) / det, -s * x * b1 * b2 / det
    sums[0] += weight * (loss + 0.5 * s * stretched)
    sums[1] -= weight * 0.5 * stretched
    sums[2] += weight * (label1 + label2)
    sums[3] -= weight * 0.5 * (field1 + field2)
    sums[4] += weight * loss
    first, second = c * p + x * k, x * k + c * q
    sums[5] += weight * (first * first + 2 * (c * k + x * q) * (x * p + c * k) + second * second)
    sums[6] -= weight * 0.5 * (law.share1 * field1 + law.share2 * field2)
    sums[7] += weight * (law.share1 * label1 + law.share2 * label2)


@njit(cache=True, error_model="numpy")
def _tie(
    law: Law, line: Line, u1: float, v1: float, u2: float, v2: float
) -> tuple[float, float, float, float, float]:
    """t and two stationary points of equal objective there, between two given ones.

    Alternates between t at which the two objectives agree and the points stationary at that t.
    The first is insensitive to the second at the solution: the iteration converges
    quadratically.
    """
    bottom, top = u1 + v1, u2 + v2
    t = 0.0
    for _ in range(_TIE_STEPS):
        gap = _objective(law, line, 0.0, u2, v2) - _objective(law, line, 0.0, u1, v1)
        apart = max(u2 + v2 - u1 - v1, 1e-9)
        t = gap * law.sigma * (law.c + law.x) / (law.push * apart)
        limit = min(1.0 / law.beta, 0.45 * (u2 + v2 - u1 - v1))
        t1, rate1 = _place(law, line, u1, v1)
        t2, rate2 = _place(law, line, u2, v2)
        total1, total2 = u1 + v1, u2 + v2
        step1 = min(max((t - t1) / max(rate1, 1e-12), -limit), limit)
        step2 = min(max((t - t2) / max(rate2, 1e-12), -limit), limit)
        target1 = min(max(total1 + step1, bottom), top)
        target2 = min(max(total2 + step2, bottom), top)
        u1, v1 = _at_total(law, line, target1, u1 - v1)
        u2, v2 = _at_total(law, line, target2, u2 - v2)
        if max(abs(target1 - total1), abs(target2 - total2)) * law.beta < 1e-8:
            break
    gap = _objective(law, line, 0.0, u2, v2) - _objective(law, line, 0.0, u1, v1)
    t = gap * law.sigma * (law.c + law.x) / (law.push * max(u2 + v2 - u1 - v1, 1e-9))
    return t, u1, v1, u2, v2


@njit(cache=True, error_model="numpy")
def _stretch(
    law: Law,
    line: Line,
    weight: float,
    ends: Array,
    rule: Array,
    tolerance: float,
    last: bool,
    sums: Array,
) -> bool:
    """Integrate between two proximal points over u + v; False, adding nothing, where rule fails."""
    low, high = ends[0] + ends[1], ends[2] + ends[3]
    gap, gaps = ends[0] - ends[1], ends[2] - ends[3]
    begin, _ = _place(law, line, ends[0], ends[1])
    end, _ = _place(law, line, ends[2], ends[3])
    leftmost, rightmost = min(begin, end), max(begin, end)
    measure, rising = 0.0, True
    found = np.empty((rule.shape[0], 4))
    for index in range(rule.shape[0]):
        x = rule[index, 0]
        u, v = _at_total(law, line, low + (high - low) * x, gap + (gaps - gap) * x)
        t, rate = _place(law, line, u, v)
        each = (high - low) * rule[index, 1] * rate
        measure += each
        rising = rising and each > 0
        leftmost, rightmost = min(leftmost, t), max(rightmost, t)
        found[index, 0], found[index, 1], found[index, 2], found[index, 3] = u, v, t, each
    nearest = max(0.0, leftmost, -rightmost)
    chance = weight * math.exp(-0.5 * nearest * nearest)
    # The rule must find the length of its own stretch, and t must rise along it.
    good = rising and abs(measure - (end - begin)) * chance < 1e-3 * tolerance
    if not (good or last or (rightmost - leftmost) * chance < _NOTHING):
        return False
    for index in range(rule.shape[0]):
        u, v, t, each = found[index]
        density = weight * math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
        _add(law, line, t, each * density, u, v, sums)
    return True


@njit(cache=True, error_model="numpy")
def _divided(law: Law, line: Line, ends: Array, left: Array, right: Array) -> None:
    """Take the jump out of a stretch between two proximal points, or halve it."""
    begin, _ = _place(law, line, ends[0], ends[1])
    end, _ = _place(law, line, ends[2], ends[3])
    t, u1, v1, u2, v2 = _tie(law, line, ends[0], ends[1], ends[2], ends[3])
    t1, _ = _place(law, line, u1, v1)
    t2, _ = _place(law, line, u2, v2)
    jump = (u2 + v2 - u1 - v1) * law.beta > _SMALL_JUMP and begin < t < end
    jump = jump and max(abs(t1 - t), abs(t2 - t)) < _SAME_PLACE
    if not jump:
        t = 0.5 * (begin + end)
    u, v, value, _ = _lowest(law, line, t, u1, v1)
    u3, v3 = _descend(law, line, t, u2, v2, u, v)
    other = _objective(law, line, t, u3, v3)
    if other < value:
        u, v, value = u3, v3, other
    # A third minimum may lie below both: then cut there.
    if not (jump and value > _objective(law, line, t, u1, v1) - 1e-11):
        u1, v1, u2, v2 = u, v, u, v
    left[0], left[1], left[2], left[3] = ends[0], ends[1], u1, v1
    right[0], right[1], right[2], right[3] = u2, v2, ends[2], ends[3]


@njit(cache=True, error_model="numpy")
def _whole(
    law: Law,
    line: Line,
    position: Array,
    points: Array,
    chance: float,
    rules: tuple[Array, Array],
    tolerance: float,
    sums: Array,
) -> None:
    """Integrate over a whole line between given proximal points, and out to its ends."""
    count = position.size
    reach = position[count - 1] + 0.5 * (position[count - 1] - position[count - 2])
    # Probability of the line, over that of its stretch of a normal law.
    weight = chance / math.erf(reach / math.sqrt(2.0))
    todo = np.empty((count + 2 + _ROUNDS, 4))
    depth = np.zeros(count + 2 + _ROUNDS, dtype=np.int64)
    u, v, _, _ = _lowest(law, line, -reach, points[0, 0], points[0, 1])
    todo[0, 0], todo[0, 1] = u, v
    for index in range(count):
        todo[index, 2], todo[index, 3] = points[index]
        todo[index + 1, 0], todo[index + 1, 1] = points[index]
    u, v, _, _ = _lowest(law, line, reach, points[count - 1, 0], points[count - 1, 1])
    todo[count, 2], todo[count, 3] = u, v
    waiting = count + 1
    ends = np.empty(4)
    while waiting:
        waiting -= 1
        ends[:] = todo[waiting]
        level = depth[waiting]
        rule = rules[1] if level else rules[0]
        last = level == _ROUNDS - 1
        if not _stretch(law, line, weight, ends, rule, tolerance, last, sums):
            _divided(law, line, ends, todo[waiting], todo[waiting + 1])
            depth[waiting] = depth[waiting + 1] = level + 1
            waiting += 2


@njit(cache=True, error_model="numpy")
def _line(law: Law, label: Array, field: Array, position: float) -> Line:
    """The line through a sample that lies at ``position`` on it."""
    pushed = law.push * position
    return Line(
        _logistic(law.beta0 * label[0]),
        _logistic(law.beta0 * label[1]),
        label[0],
        label[1],
        field[0] - pushed,
        field[1] - pushed,
    )


@njit(cache=True, error_model="numpy")
def _integrate(
    law: Law,
    label: Array,
    field: Array,
    weights: Array,
    position: Array,
    starts: NDArray[np.intp],
    rules: tuple[Array, Array],
    tolerance: float,
    share: float,
) -> tuple[Array, float]:
    sums, two_minima = np.zeros(8), 0.0
    for number in range(starts.size - 1):
        first, stop = starts[number], starts[number + 1]
        start = float(position[first])
        line = _line(law, label[:, first], field[:, first], start)
        points = np.empty((stop - first, 2))
        rough = False
        u, v = line.w1 + law.push * start, line.w2 + law.push * start
        before, chance = 0.0, 0.0
        for index in range(first, stop):
            t = float(position[index])
            u, v, _, several = _lowest(law, line, t, u, v)
            chance += weights[index]
            if several:
                two_minima += weights[index]
            points[index - first] = u, v
            _, rate = _place(law, line, u, v)
            if index > first:
                moved = u + v - points[index - first - 1].sum()
                gap = t - position[index - 1]
                missed = abs(moved - 0.5 * gap * (1 / rate + 1 / before))
                likely = max(weights[index], weights[index - 1])
                rough |= missed > share * moved and missed * law.beta * likely > tolerance
            before = rate
        if rough:
            _whole(law, line, position[first:stop], points, chance, rules, tolerance, sums)
        else:
            for index in range(first, stop):
                u, v = points[index - first]
                _add(law, line, position[index], weights[index], u, v, sums)
    return sums, two_minima


@njit(cache=True, error_model="numpy")
def _global_minima(law: Law, label: Array, field: Array) -> tuple[Array, NDArray[np.bool_]]:
    points, several = np.empty(label.shape), np.zeros(label.shape[1], dtype=np.bool_)
    for index in range(label.shape[1]):
        line = _line(law, label[:, index], field[:, index], 0.0)
        u, v, _, several[index] = _lowest(law, line, 0.0, line.w1, line.w2)
        points[0, index], points[1, index] = u, v
    return points, several


def global_minima(model: FieldModel, label: Array, field: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The proximal points of samples (2, N), and whether their problems have several minima."""
    return _global_minima(_law(model), *_scores(model, label, field))


def integrate(
    nodes: Lattice, model: FieldModel, tolerance: float, share: float = SHARE
) -> tuple[Array, float]:
    """Means of the integrands over a lattice, and the weight of nodes with several minima.

    Lines on which the proximal point moves by much more, or less, between two nodes than its slopes
    at both explain are integrated over u + v instead of the field.

    Parameters
    ----------
    nodes : Lattice
    model : FieldModel
    tolerance : float
        Unexplained move, in units of 1/beta and times its probability, that is let pass.
    share : float
        Share of a move that may stay unexplained, whatever its probability.
    """
    starts = np.append(np.flatnonzero(np.diff(nodes.line, prepend=-1)), nodes.line.size)
    return _integrate(
        _law(model),
        *_scores(model, nodes.label, nodes.field),
        nodes.weights,
        nodes.position,
        starts,
        (_COARSE, _FINE),
        tolerance,
        share,
    )


def _scores(model: FieldModel, label: Array, field: Array) -> tuple[Array, Array]:
    """The scores behind the labels, and omega."""
    return model.root_signal * label, model.slope * label + model.spread * field


def _law(model: FieldModel) -> Law:
    signal1, signal2 = (model.root_signal**2 * one for one in model.excess)
    gain1, gain2 = (one / model.root_signal for one in model.slope)
    variance1, variance2 = (one**2 for one in model.spread)
    return Law(
        c=model.pair.diagonal,
        x=model.pair.cross,
        sigma=model.sigma,
        beta=model.beta,
        beta0=model.beta0,
        scale=model.beta0 / model.beta,
        signal1=signal1,
        signal2=signal2,
        gain1=gain1,
        gain2=gain2,
        variance1=variance1,
        variance2=variance2,
        share1=SHARES[0],
        share2=SHARES[1],
        push=model.push,
    )
