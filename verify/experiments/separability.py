"""How many samples of a data set have labels that one positive map fits without error."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attlas.model import Direct, Problem
from attlas.solver.thresholds.separability import independent_rows, separable
from attlas.verify.claims.claim import Control
from attlas.verify.data.sequences import Data, draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.store.case import Case

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_KEY = "separable_alpha"
#: Where a data set's own threshold is looked for first, over that of the limit; the factor by
#: which the search widens, and the relative width at which it ends.
_FIRST, _WIDEN, _WIDTH = 0.85, 1.2, 0.05
#: Of the interior point method: the factor on the weight of the margin, a step's share of the way
#: to the boundary, the squared Newton decrement that counts as centred, and most steps.
_HARDER, _STEP, _CENTRED, _STEPS = 20.0, 0.95, 0.1, 600


class NotDecided(ArithmeticError):
    """A program whose sign was not found."""


class Constraints:
    """One row for each token that was not drawn beside one that was: its score must be lower.

    Maps are vectors of the entries a <= b of S, those off the diagonal times sqrt(2).
    """

    def __init__(self, data: Data) -> None:
        n, tokens, self.d = data.x.shape
        first, second = np.triu_indices(self.d)
        self.place, self.root = (first, second), np.where(first == second, 1.0, np.sqrt(2.0))
        drawn = data.labels.argmax(axis=2)
        self.rows = np.empty((n, tokens * (tokens - 1), len(first)))
        for a in range(tokens):
            x, chosen = data.x[:, a], drawn[:, a]
            for k in range(1, tokens):
                other = (chosen + k) % tokens
                pick = np.arange(n)
                apart = data.x[pick, chosen] - data.x[pick, other]
                form = (x[:, first] * apart[:, second] + x[:, second] * apart[:, first]) / 2
                # The trace is subtracted from scores of a token with itself.
                traced = (chosen == a).astype(float) - (other == a)
                form *= self.root
                form -= traced[:, None] * (first == second)
                self.rows[:, a * (tokens - 1) + k - 1] = form / np.sqrt(self.d)

    def separable(self, n: int) -> bool:
        """Whether a positive map satisfies the first n samples' constraints strictly."""
        rows = self.rows[:n].reshape(-1, self.rows.shape[-1])
        return _Margin(rows / np.sqrt(np.mean(rows**2)), self.d, self.place, self.root).positive()


class _Margin:
    """The largest t with A s >= t and S >= t, where mean(A) s = 1: positive where separable.

    Interior point method with a logarithmic barrier. A positive t is its own proof; a negative one
    is known from the duality gap on the central path.
    """

    def __init__(self, rows: Array, d: int, place: tuple[Index, Index], root: Array) -> None:
        self.rows, self.d, self.place, self.root = rows, d, place, root
        self.mean = rows.mean(axis=0)

    def matrix(self, vector: Array) -> Array:
        full = np.zeros((self.d, self.d))
        full[self.place] = vector / self.root
        return full + full.T - np.diag(np.diag(full))

    @cached_property
    def _pairs(self) -> tuple[tuple[Index, ...], ...]:
        i, j = self.place
        return tuple(np.ix_(a, b) for a, b in ((i, i), (j, j), (i, j), (j, i)))

    def positive(self) -> bool:
        s = self.mean / (self.mean @ self.mean)
        t = min(float((self.rows @ s).min()), float(np.linalg.eigvalsh(self.matrix(s))[0])) - 1
        count = len(self.rows) + self.d
        weight = count / (1 - t)
        normal = np.append(self.mean, 0.0)
        for _ in range(_STEPS):
            gradient, hessian = self._barrier(s, t)
            gradient[-1] -= weight
            both = np.linalg.solve(hessian, np.stack([-gradient, normal], axis=1))
            step = both[:, 0] - both[:, 1] * (normal @ both[:, 0]) / (normal @ both[:, 1])
            decrement = float(-gradient @ step)
            if decrement < _CENTRED:
                if t + 2 * count / weight < 0:
                    return False
                weight *= _HARDER
                continue
            length = min(1.0, _STEP * self._room(s, t, step))
            s, t = s + length * step[:-1], t + length * float(step[-1])
            if t > 0:
                return True
        raise NotDecided(f"no sign of the margin after {_STEPS} steps, at {t:.1e}")

    def _barrier(self, s: Array, t: float) -> tuple[Array, Array]:
        """Gradient and Hessian of -sum log(A s - t) - log det(S - t) in (s, t)."""
        weights = 1 / (self.rows @ s - t)
        scaled = self.rows * weights[:, None]
        inverse = np.linalg.inv(self.matrix(s) - t * np.eye(self.d))
        twice = inverse @ inverse
        size = len(s)
        hessian = np.empty((size + 1, size + 1))
        ii, jj, ij, ji = (inverse[pair] for pair in self._pairs)
        cone = (ii * jj + ij * ji) / 2 * (self.root[:, None] * self.root)
        hessian[:size, :size] = scaled.T @ scaled + cone
        mixed = -(scaled.T @ weights) - twice[self.place] * self.root
        hessian[:size, size] = hessian[size, :size] = mixed
        hessian[size, size] = weights @ weights + np.trace(twice)
        slope = -scaled.sum(axis=0) - inverse[self.place] * self.root
        return np.append(slope, weights.sum() + np.trace(inverse)), hessian

    def _room(self, s: Array, t: float, step: Array) -> float:
        """The longest step that stays inside."""
        moved = self.rows @ step[:-1] - step[-1]
        falling = moved < 0
        room = np.min((self.rows @ s - t)[falling] / -moved[falling], initial=np.inf)
        root = np.linalg.inv(np.linalg.cholesky(self.matrix(s) - t * np.eye(self.d)))
        change = self.matrix(step[:-1]) - step[-1] * np.eye(self.d)
        lowest = float(np.linalg.eigvalsh(root @ change @ root.T)[0])
        return min(float(room), -1 / lowest if lowest < 0 else np.inf)


def measure(case: Case) -> Measurement:
    """The alpha up to which a case's own data are separable, beside that of its teacher."""
    problem, d = case.problem, case.d
    teacher = draw_teacher(problem.target, d, case.seed)
    data = draw_data(problem, teacher, problem.samples(d), case.seed, centring=case.centring)
    expected = separable(paired_at(case))
    constraints = Constraints(data)
    low, high = _bracket(constraints, round(_FIRST * expected.alpha * d * d), len(data.x))
    while high - low > max(1, _WIDTH * high):
        middle = (low + high) // 2
        low, high = (middle, high) if constraints.separable(middle) else (low, middle)
    return Measurement(
        measured={_KEY: (low + high) / 2 / d**2},
        reference={_KEY: expected.alpha},
        reference_error={_KEY: expected.error},
        data_hash=data.digest,
    )


def _bracket(constraints: Constraints, start: int, most: int) -> tuple[int, int]:
    """Numbers of samples that are separable and that are not."""
    here, found = start, constraints.separable(start)
    while True:
        there = min(most, round(here * _WIDEN)) if found else round(here / _WIDEN)
        if there == here:
            return here, here  # all that were drawn are separable
        if there < 1 or constraints.separable(there) != found:
            return (here, there) if found else (there, here)
        here = there


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The threshold without the cone, without noise, or of rows that share nothing."""
    paired = paired_at(case)
    if control.id == "rows-independent":
        return {_KEY: independent_rows(paired)}
    return {_KEY: separable(_changed(paired, control)).alpha}


def _changed(problem: Problem, control: Control) -> Problem:
    if control.id == "cone-dropped":
        return problem.with_(estimator=Direct(1))
    return problem.with_(channel=replace(problem.channel, noise=0))


SEPARABILITY = Experiment(measure, wrong)
