"""Expectations of the two-token softmax channel on a deterministic lattice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.channels.kernel import ChannelMoments, TestErrors
from solver.channels.two_tokens.fields import FieldModel, Samples
from solver.channels.two_tokens.lattice import Lattice, lattice
from solver.channels.two_tokens.proximal import logistic
from solver.channels.two_tokens.scores import ScorePair
from solver.order_parameters import Overlaps

#: (spacing, radius) of the lattice at each level, in standard deviations.
_LEVELS = ((0.95, 5.0), (0.7, 5.6), (0.52, 6.2), (0.42, 6.6), (0.34, 7.0), (0.27, 7.4), (0.22, 7.6))
#: sigma beta^2 below which the proximal problem has one minimum for every label and field.
_UNIMODAL_BOUND = 1.04
#: Distance, in units of 1/beta, at which two minima count as different.
_APART = 1e-5


@dataclass(frozen=True)
class TwoTokenKernel:
    """The channel y = softmax_rows(beta0 z0) with T = 2 (theory.md sections 3, 4 and 6).

    Parameters
    ----------
    beta, beta0 : float
    noise : float
        Delta of theory.md.
    pair : ScorePair
        Covariance of the two score differences; only a control has another than the default.
    """

    beta: float
    beta0: float
    noise: float
    pair: ScorePair = ScorePair()

    @property
    def finest(self) -> int:
        return len(_LEVELS) - 1

    @property
    def scale(self) -> float:
        return self.beta0 / self.beta

    def nodes(self, signal: float, level: int) -> int:
        return self._lattice(signal, level).weights.size

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        nodes = self._lattice(signal, level)
        model = FieldModel.at(overlaps, signal, self.beta, self.beta0, self.pair)
        samples = Samples.on(nodes, model)
        problem = samples.problem
        h = problem.solve(problem.omega)
        two_minima = 0.0
        if overlaps.sigma * self.beta**2 >= _UNIMODAL_BOUND:
            other = problem.solve(model.label_start(samples.label))
            apart = np.max(np.abs(h - other), axis=0) * self.beta > _APART
            two_minima = float(np.sum(samples.weights[apart]))
            h = np.where(problem.objective(other) < problem.objective(h), other, h)
        means = model.integrands(samples, h) @ samples.weights
        energy, d_sigma, d_m, d_q, loss, response = (float(value) for value in means)
        return ChannelMoments(energy, d_sigma, d_m, d_q, loss, response, two_minima)

    def test_errors(self, q: float, m: float, q0: float) -> TestErrors:
        return TestErrors(
            noisy=self._test_error(q, m, q0 + self.noise / 2), clean=self._test_error(q, m, q0)
        )

    def _test_error(self, q: float, m: float, signal: float) -> float:
        """Four times the mean of (s(beta0 u0) - s(beta u))^2: two rows of two entries each."""
        x = _score_nodes(max(self.beta0 * signal**0.5, self.beta * max(q, 0.0) ** 0.5))
        u0 = (self.pair.diagonal * signal) ** 0.5 * x[:, None]
        rest = (self.pair.diagonal * max(q - m * m / signal, 0.0)) ** 0.5
        u = (m / signal) * u0 + rest * x[None, :]
        weight = np.exp(-0.5 * (x[:, None] ** 2 + x[None, :] ** 2))
        miss = logistic(self.beta0 * u0) - logistic(self.beta * u)
        return float(4 * np.sum(weight * miss**2) / np.sum(weight))

    def _lattice(self, signal: float, level: int) -> Lattice:
        spacing, radius = _LEVELS[level]
        label_scale = self.beta0 * (self.pair.diagonal * signal) ** 0.5
        return lattice(spacing, radius, label_scale, self.pair)


def _score_nodes(sharpness: float) -> np.ndarray:
    """Midpoints of a trapezoidal rule that resolves logistics of a given sharpness."""
    spacing = 0.25 / max(1.0, sharpness)
    reach = int(np.ceil(8.5 / spacing))
    return (np.arange(-reach, reach) + 0.5) * spacing
