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

    def means(self, nodes: Lattice) -> Array:
        """Means of the integrands where every proximal problem has one minimum, shape (6,)."""
        return sum(
            (
                self.integrands(samples, samples.problem.solve(samples.problem.omega))
                @ samples.weights
                for samples in (Samples.on(block, self) for block in nodes.blocks())
            ),
            np.zeros(6),
        )

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
