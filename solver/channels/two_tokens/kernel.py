"""Expectations of the two-token softmax channel on a deterministic lattice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attlas.solver.channels.kernel import ChannelMoments, TestErrors
from attlas.solver.channels.two_tokens.fields import FieldModel
from attlas.solver.channels.two_tokens.lattice import Fineness, Lattice, lattice
from attlas.solver.channels.two_tokens.pieces import proximal_points, refined, rough_lines
from attlas.solver.channels.two_tokens.scores import THEORY, ScorePair
from attlas.solver.channels.two_tokens.test_error import squared_distance
from attlas.solver.order_parameters import Overlaps

#: The lattice at each level. Fields bear wider steps than labels: their spread is small beside the
#: scores', and where the proximal point jumps their lines are integrated apart.
_LEVELS = (
    Fineness(label=0.95, field=0.95, radius=5.0),
    Fineness(label=0.70, field=0.80, radius=5.6),
    Fineness(label=0.52, field=0.66, radius=6.2),
    Fineness(label=0.42, field=0.56, radius=6.6),
    Fineness(label=0.37, field=0.51, radius=6.9),
    Fineness(label=0.27, field=0.38, radius=7.4),
    Fineness(label=0.22, field=0.31, radius=7.6),
    Fineness(label=0.19, field=0.24, radius=7.8),
)
#: Unexplained moves of the proximal point let pass at each level; none is looked for at the first.
_ROUGHNESS = (None, 1e-6, 1e-7, 1e-8, 3e-9, 1e-9, 3e-10, 1e-10)


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
    pair: ScorePair = THEORY

    @property
    def finest(self) -> int:
        return len(_LEVELS) - 1

    @property
    def scale(self) -> float:
        return self.beta0 / self.beta

    def nodes(self, signal: float, level: int) -> int:
        return self._lattice(signal, level).weights.size

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        return _moments(self, overlaps, signal, level)

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,  # noqa: ARG002
    ) -> TestErrors:
        return TestErrors(
            noisy=self._test_error(q, m, q0 + self.noise / 2), clean=self._test_error(q, m, q0)
        )

    def _test_error(self, q: float, m: float, signal: float) -> float:
        return squared_distance(
            q, m, signal, diagonal=self.pair.diagonal, beta=self.beta, beta0=self.beta0
        )

    def _lattice(self, signal: float, level: int) -> Lattice:
        label_scale = self.beta0 * (self.pair.diagonal * signal) ** 0.5
        return lattice(_LEVELS[level], label_scale, self.pair)


@lru_cache(maxsize=16)
def _moments(
    kernel: TwoTokenKernel, overlaps: Overlaps, signal: float, level: int
) -> ChannelMoments:
    model = FieldModel.at(overlaps, signal, kernel.beta, kernel.beta0, kernel.pair)
    tolerance = _ROUGHNESS[level] if overlaps.sigma > 0 else None
    means, two_minima = np.zeros(6), 0.0
    rough: list[tuple[Lattice, np.ndarray]] = []
    for nodes in kernel._lattice(signal, level).blocks():
        found = proximal_points(nodes, model)
        weights = nodes.weights
        if tolerance is not None:
            chosen = rough_lines(nodes, model, found, tolerance=tolerance)
            if chosen.any():
                rough.append((nodes.part(chosen), found.h[:, chosen]))
                weights = np.where(chosen, 0.0, weights)
        means += model.integrands(found.samples, found.h) @ weights
        two_minima += found.two_minima
    if tolerance is not None and rough:
        lines = Lattice.join([nodes for nodes, _ in rough])
        known = np.concatenate([h for _, h in rough], axis=1)
        samples, h = refined(lines, model, known, tolerance)
        means += model.integrands(samples, h) @ samples.weights
    energy, d_sigma, d_m, d_q, loss, response = (float(value) for value in means)
    return ChannelMoments(energy, d_sigma, d_m, d_q, loss, response, two_minima)
