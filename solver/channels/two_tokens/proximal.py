"""The proximal operator of the two-token softmax loss, for many samples at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.scores import ScorePair

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]

#: Newton converges quadratically: a step below this leaves an error below rounding.
_LAST_STEP = 1e-7
#: Full Newton steps tried before a sample is handed to the line search.
_PLAIN_STEPS = 8
_SEARCHED_STEPS = 60
_WORTH_COPYING = 0.75
#: In units of 1/beta.
_LONGEST_STEP = 2.0
#: Shares of a step among which the line search chooses, none first.
_LENGTHS = np.concatenate([[0.0], 0.5 ** np.arange(12)])


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


@dataclass(frozen=True)
class ProximalProblem:
    """Minimise 2 sum (y - s(beta h))^2 + (h - omega)^T C^-1 (h - omega) / (2 sigma) over (u, v).

    Parameters
    ----------
    labels : array (2, N)
        s(beta0 u0), s(beta0 v0).
    omega : array (2, N)
        Field of each sample.
    sigma, beta : float
    pair : ScorePair
    """

    labels: Array
    omega: Array
    sigma: float
    beta: float
    pair: ScorePair

    def take(self, index: NDArray[np.intp] | Mask) -> ProximalProblem:
        """The same problem for some of the samples."""
        return ProximalProblem(
            self.labels[:, index], self.omega[:, index], self.sigma, self.beta, self.pair
        )

    def loss(self, h: Array) -> Array:
        """The loss alone, per sample."""
        miss = self.labels - logistic(self.beta * h)
        return 2.0 * (miss[0] * miss[0] + miss[1] * miss[1])

    def objective(self, h: Array) -> Array:
        """Loss plus proximal distance, per sample."""
        if self.sigma == 0:
            return self.loss(h)
        step = h - self.omega
        return self.loss(h) + self.pair.squared_length(step) / (2 * self.sigma)

    def residual(self, h: Array) -> Array:
        """r = -grad loss(h); at the minimum C^-1 (h - omega)/sigma, but without cancellation."""
        s = logistic(self.beta * h)
        return 4.0 * self.beta * (self.labels - s) * s * (1 - s)

    def curvature(self, h: Array) -> Array:
        """Second derivative of the loss in u and in v (the loss is separable)."""
        s = logistic(self.beta * h)
        slope = self.beta * s * (1 - s)
        return 4.0 * slope * (slope - (self.labels - s) * self.beta * (1 - 2 * s))

    def slopes(self, h: Array) -> tuple[Array, Array]:
        """``residual`` and ``curvature`` at once."""
        # With t = tanh(beta h/2) = 2s - 1: few passes over memory, which is what this costs.
        t = np.tanh((0.5 * self.beta) * h)
        steep = t * t
        np.subtract(1.0, steep, out=steep)
        miss = 2.0 * self.labels
        miss -= 1.0
        miss -= t
        t *= miss
        t += t
        t += steep
        t *= steep
        t *= 0.25 * self.beta**2
        miss *= steep
        miss *= 0.5 * self.beta
        return miss, t

    def solve(self, start: Array) -> Array:
        """The local minimum that damped Newton reaches from a start, shape (2, N).

        Samples that full steps do not settle are finished by a line search on the objective.
        """
        if self.sigma == 0:
            return self.omega
        found = start.copy()
        index = np.arange(start.shape[1])
        here, problem = start, self
        for count in range(_PLAIN_STEPS + _SEARCHED_STEPS):
            step = problem._newton_step(here)
            length = np.maximum(np.abs(step[0]), np.abs(step[1])) * self.beta
            if count >= _PLAIN_STEPS:
                # The objective cannot rank points closer than the root of its rounding.
                search = np.flatnonzero(length > 1e-4)
                step[:, search] = problem.take(search)._searched(here[:, search], step[:, search])
            here = here + step
            going = length > _LAST_STEP
            left = int(np.count_nonzero(going))
            # Settled samples are dropped once they are many enough to pay for the copy.
            if left == 0 or left < _WORTH_COPYING * index.size:
                found[:, index[~going]] = here[:, ~going]
                index, here, problem = index[going], here[:, going], problem.take(going)
                if left == 0:
                    break
        found[:, index] = here
        return found

    def _newton_step(self, h: Array) -> Array:
        downhill, bend = self.slopes(h)
        det = self.pair.diagonal**2 - self.pair.cross**2
        stiff = self.pair.diagonal / (det * self.sigma)
        cross = -self.pair.cross / (det * self.sigma)
        away = h - self.omega
        downhill -= stiff * away
        away *= cross
        downhill -= away[::-1]
        bend += stiff
        determinant = bend[0] * bend[1]
        determinant -= cross * cross
        # Where the Hessian is not safely positive, its absolute value goes downhill.
        unsafe = np.flatnonzero((determinant < 1e-4 * stiff * stiff) | (bend[0] <= 0))
        pulled = downhill[:, unsafe]
        step = bend[::-1] * downhill
        downhill *= cross
        step -= downhill[::-1]
        if unsafe.size:
            first, second = bend[:, unsafe]
            mean, half = 0.5 * (first + second), 0.5 * (first - second)
            radius = np.hypot(half, cross)
            large = np.maximum(np.abs(mean + radius), 1e-3 * stiff)
            small = np.maximum(np.abs(mean - radius), 1e-3 * stiff)
            mean, scale = 0.5 * (large + small), 0.5 * (large - small) / radius
            turn = scale * cross
            step[0, unsafe] = (mean - scale * half) * pulled[0] - turn * pulled[1]
            step[1, unsafe] = (mean + scale * half) * pulled[1] - turn * pulled[0]
            determinant[unsafe] = large * small
        step /= determinant
        # The loss changes on the scale 1/beta: longer steps would jump over its structure.
        longest = np.maximum(np.abs(step[0]), np.abs(step[1]))
        longest *= self.beta
        long = np.flatnonzero(longest > _LONGEST_STEP)
        if long.size:
            step[:, long] *= _LONGEST_STEP / longest[long]
        return step

    def _searched(self, h: Array, step: Array) -> Array:
        number = h.shape[1]
        trials = (h[:, None] + _LENGTHS[:, None] * step[:, None]).reshape(2, -1)
        each = self.take(np.tile(np.arange(number), _LENGTHS.size))
        values = each.objective(trials).reshape(_LENGTHS.size, number)
        return step * _LENGTHS[np.argmin(values, axis=0)]
