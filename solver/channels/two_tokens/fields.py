"""Samples of the channel: from lattice nodes to labels and fields, and the integrands on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.lattice import Lattice
from attlas.solver.channels.two_tokens.proximal import ProximalProblem, logistic
from attlas.solver.channels.two_tokens.scores import ScorePair
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.floating]

#: sigma beta^2 below which the proximal problem has one minimum for every label and field.
_UNIMODAL_BOUND = 1.04
#: Distance, in units of 1/beta, at which two minima count as different.
_APART = 1e-5
#: Scores, in units of 1/beta, whose logistic is 0 or 1 for a start of Newton's method.
_SATURATED = 12.0


@dataclass(frozen=True)
class FieldModel:
    """The joint law of labels and fields: z0 = sqrt(Q) a, omega = (m/sqrt(Q)) a + s b.

    Here a and b are independent of covariance C and s^2 = q - m^2/Q (theory.md section 3).
    """

    root_signal: float
    slope: float
    spread: float
    sigma: float
    beta: float
    beta0: float
    pair: ScorePair

    @classmethod
    def at(
        cls, overlaps: Overlaps, signal: float, beta: float, beta0: float, pair: ScorePair
    ) -> FieldModel:
        """The law at given overlaps.

        At s = 0 the envelope forms of the derivatives are 0/0: s is kept above 1e-6 of the
        scale of the scores, where they still have ten digits.
        """
        root = signal**0.5
        variance = overlaps.q - overlaps.m**2 / signal
        floor = 1e-12 * max(overlaps.q, 1 / beta**2)
        return cls(
            root_signal=root,
            slope=overlaps.m / root,
            spread=max(variance, floor) ** 0.5,
            sigma=overlaps.sigma,
            beta=beta,
            beta0=beta0,
            pair=pair,
        )

    def problem(self, label: Array, field: Array) -> ProximalProblem:
        """The proximal problem of each sample (a, b)."""
        return ProximalProblem(
            labels=logistic(self.beta0 * self.root_signal * label),
            omega=self.slope * label + self.spread * field,
            sigma=self.sigma,
            beta=self.beta,
            pair=self.pair,
        )

    @property
    def unimodal(self) -> bool:
        """Whether every proximal problem has one minimum, by the bound of theory.md section 10."""
        return self.sigma * self.beta**2 < _UNIMODAL_BOUND

    @property
    def push(self) -> float:
        """Change of omega in u and in v as (u + v)/2 of the field moves by one deviation."""
        return self.pair.axes[0] * self.spread

    def rate(self, bend: Array) -> Array:
        """d(place)/d(u + v of a stationary point) along a line of fields (curve.py).

        ``bend`` is the curvature of the loss there; the rate is negative on saddles.
        """
        c, s = self.pair.diagonal, self.sigma
        first, second = bend
        det = (1 + s * c * first) * (1 + s * c * second) - s * s * first * second
        return det / (self.push * (2 + s * (c - 1) * (first + second)))

    def global_minimum(
        self, label: Array, field: Array, *known: Array, mixed: bool = False
    ) -> Array:
        """The proximal points: the lowest of the minima found from several starts, shape (2, N).

        The starts are omega and the scores that fit the label. With ``mixed``, also points where
        one score fits its label and the other is where the field then pulls it: at large sigma
        each score alone has two minima.

        Parameters
        ----------
        label, field : array (2, N)
        *known : array (2, N)
            Further starts.
        mixed : bool
        """
        return self.minima(label, field, *known, mixed=mixed)[0]

    def minima(
        self, label: Array, field: Array, *known: Array, mixed: bool = False
    ) -> tuple[Array, NDArray[np.bool_]]:
        """``global_minimum``, and whether the starts led to more than one minimum."""
        problem = self.problem(label, field)
        starts = [problem.omega, *known]
        if not self.unimodal:
            fits = self._fitting(label)
            starts.append(fits)
            if mixed:
                pulled = problem.omega + (fits - problem.omega)[::-1] / self.pair.diagonal
                starts.append(np.stack([fits[0], pulled[1]]))
                starts.append(np.stack([pulled[0], fits[1]]))
        # All at once, and not start by start: on few samples the calls would cost more.
        number = label.shape[1]
        again = problem.take(np.tile(np.arange(number), len(starts)))
        found = again.solve(np.concatenate(starts, axis=1))
        lowest = np.argmin(again.objective(found).reshape(len(starts), number), axis=0)
        found = found.reshape(2, len(starts), number)
        best = found[:, lowest, np.arange(number)]
        several = np.any(np.abs(found - best[:, None]) * self.beta > _APART, axis=(0, 1))
        return best, several

    def alternating_minimum(self, samples: Samples) -> Array:
        """Local minima, every other from omega and from the scores that fit the label.

        At half the price of ``global_minimum``; where neighbours have several minima, these
        differ.
        """
        start = samples.problem.omega.copy()
        if not self.unimodal:
            start[:, 1::2] = self._fitting(samples.label[:, 1::2])
        return samples.problem.solve(start)

    def _fitting(self, label: Array) -> Array:
        # Labels beyond the limit are fitted to rounding by any score beyond it.
        limit = _SATURATED / self.beta
        return np.clip(self.beta0 * self.root_signal / self.beta * label, -limit, limit)

    def integrands(self, samples: Samples, h: Array) -> Array:
        """Energy, its derivatives in sigma, m and q, the loss and the response; shape (6, N)."""
        problem = samples.problem
        r = problem.residual(h)
        pushed = self.pair.times_covariance(r)
        loss = problem.loss(h)
        stretched = np.sum(r * pushed, axis=0)
        along_label = np.sum(r * samples.label, axis=0)
        along_field = np.sum(r * samples.field, axis=0)
        d_q = -along_field / (2 * self.spread)
        d_m = -along_label / self.root_signal + (self.slope / self.root_signal) * (
            along_field / self.spread
        )
        return np.stack(
            [
                loss + 0.5 * self.sigma * stretched,
                -0.5 * stretched,
                d_m,
                d_q,
                loss,
                self._response(problem.curvature(h)),
            ]
        )

    def _response(self, bend: Array) -> Array:
        c, sigma = self.pair.diagonal, self.sigma
        first, second = bend
        determinant = (1 + sigma * c * first) * (1 + sigma * c * second) - (
            sigma * sigma * first * second
        )
        a = first * (1 + sigma * c * second) / determinant
        d = second * (1 + sigma * c * first) / determinant
        b = -sigma * first * second / determinant
        return (c * a + b) ** 2 + 2 * (c * b + d) * (a + c * b) + (b + c * d) ** 2


@dataclass(frozen=True)
class Samples:
    """Some samples: their scores, their weights and their proximal problems."""

    label: Array
    field: Array
    weights: Array
    problem: ProximalProblem

    @classmethod
    def on(cls, nodes: Lattice, model: FieldModel) -> Samples:
        """The samples at the nodes of a lattice."""
        return cls(
            nodes.label,
            nodes.field,
            nodes.weights,
            model.problem(nodes.label, nodes.field),
        )
