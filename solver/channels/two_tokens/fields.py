"""Samples of the channel: from lattice nodes to labels and fields, and the integrands on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.two_tokens.lattice import Lattice
from attlas.solver.channels.two_tokens.proximal import ProximalProblem, logistic
from attlas.solver.channels.two_tokens.scores import SHARES, Both, ScorePair
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.floating]

#: sigma beta^2 below which the proximal problem has one minimum for every label and field.
_UNIMODAL_BOUND = 1.04
#: Variance along u + v over that of an off-diagonal score, to which the bound belongs.
_WIDEST = 4.0


@dataclass(frozen=True)
class FieldModel:
    """The joint law of labels and fields: z0 = sqrt(Q) a, omega = (m/sqrt(Q)) a + s b.

    Here a and b are independent of covariance C and s^2 = q - m^2/Q (theory.md section 3). Where
    tokens give other strengths to u + v and to u - v, the scale of z0 stays sqrt(Q), the covariance
    of a makes up for it, and ``excess`` holds the ratio of the strengths (section 17).
    """

    root_signal: float
    slope: Both
    spread: Both
    excess: Both
    sigma: float
    beta: float
    beta0: float
    pair: ScorePair

    @classmethod
    def at(
        cls,
        overlaps: Overlaps,
        signal: float,
        beta: float,
        beta0: float,
        pair: ScorePair,
        noise: float = 0.0,
    ) -> FieldModel:
        """The law at given overlaps.

        At s = 0 the envelope forms of the derivatives are 0/0: s is kept above 1e-6 of the
        scale of the scores, where they still have ten digits.
        """
        root = signal**0.5
        own, shared = overlaps.revealed
        signals = pair.signals(signal, noise)
        q, m = pair.strengths(overlaps.q, own), pair.strengths(overlaps.m, shared)

        def spread(q: float, m: float, signal: float) -> float:
            return max(q - m**2 / signal, 1e-12 * max(q, 1 / beta**2)) ** 0.5

        return cls(
            root_signal=root,
            slope=Both(m.plus * root / signals.plus, m.minus * root / signals.minus),
            spread=Both(
                spread(q.plus, m.plus, signals.plus), spread(q.minus, m.minus, signals.minus)
            ),
            excess=Both(signals.plus / signal, signals.minus / signal),
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
        widest = max(self.pair.eigenvalues) / _WIDEST
        return self.sigma * widest * self.beta**2 < _UNIMODAL_BOUND

    @property
    def push(self) -> float:
        """Change of omega in u and in v as (u + v)/2 of the field moves by one deviation."""
        return self.pair.axes[0] * self.spread.plus

    def means(self, nodes: Lattice) -> Array:
        """Means of the integrands where every proximal problem has one minimum, shape (6,)."""
        return sum(
            (
                self.integrands(samples, samples.problem.solve(samples.problem.omega))
                @ samples.weights
                for samples in (Samples.on(block, self) for block in nodes.blocks())
            ),
            np.zeros(8),
        )

    def integrands(self, samples: Samples, h: Array) -> Array:
        """Energy, derivatives in sigma, m and q, loss, response, derivatives in what is revealed.

        Those of section 17 are what tokens add to diagonal scores. Shape (8, N).
        """
        problem = samples.problem
        r = problem.residual(h)
        pushed = self.pair.times_covariance(r)
        loss = problem.loss(h)
        stretched = np.sum(r * pushed, axis=0)
        root = self.root_signal
        parts = []
        for axis, sign in (("plus", 1.0), ("minus", -1.0)):
            spread, slope, excess = (
                getattr(one, axis) for one in (self.spread, self.slope, self.excess)
            )
            pull = 0.5 * (r[0] + sign * r[1])
            along_label = pull * (samples.label[0] + sign * samples.label[1]) / (root * excess)
            along_field = pull * (samples.field[0] + sign * samples.field[1]) / spread
            parts.append((-0.5 * along_field, (slope / root) * along_field - along_label))
        (q_plus, m_plus), (q_minus, m_minus) = parts
        plus, minus = SHARES
        return np.stack(
            [
                loss + 0.5 * self.sigma * stretched,
                -0.5 * stretched,
                m_plus + m_minus,
                q_plus + q_minus,
                loss,
                self._response(problem.curvature(h)),
                plus * q_plus + minus * q_minus,
                plus * m_plus + minus * m_minus,
            ]
        )

    def _response(self, bend: Array) -> Array:
        c, x, sigma = self.pair.diagonal, self.pair.cross, self.sigma
        first, second = bend
        determinant = (1 + sigma * c * first) * (1 + sigma * c * second) - (
            (sigma * x) ** 2 * first * second
        )
        a = first * (1 + sigma * c * second) / determinant
        d = second * (1 + sigma * c * first) / determinant
        b = -sigma * x * first * second / determinant
        return (c * a + x * b) ** 2 + 2 * (c * b + x * d) * (x * a + c * b) + (x * b + c * d) ** 2


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
