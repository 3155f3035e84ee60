"""The linear channel in closed form."""

from __future__ import annotations

from dataclasses import dataclass

from solver.channels.kernel import ChannelMoments, TestErrors
from solver.order_parameters import Overlaps


@dataclass(frozen=True)
class LinearKernel:
    """y = h(S0) + sqrt(noise) xi with square loss: M = 2(Q - 2m + q)/(1 + 4 sigma).

    Parameters
    ----------
    noise : float
        Delta of theory.md section 1; the signal is Q = Q0 + noise/2.
    """

    noise: float

    @property
    def finest(self) -> int:
        return 0

    @property
    def scale(self) -> float:
        return 1.0

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return 1

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:  # noqa: ARG002
        stiffness = 1 / (1 + 4 * overlaps.sigma)
        if overlaps.mse is None:
            misfit = signal - 2 * overlaps.m + overlaps.q
        else:
            misfit = overlaps.mse + self.noise / 2
        return ChannelMoments(
            energy=2 * misfit * stiffness,
            d_sigma=-8 * misfit * stiffness**2,
            d_m=-4 * stiffness,
            d_q=2 * stiffness,
            train_error=2 * misfit * stiffness**2,
            response=16 * stiffness**2,
            multi_minima_weight=0.0,
        )

    def test_errors(self, q: float, m: float, q0: float, mse: float | None = None) -> TestErrors:
        clean = 2 * (q0 - 2 * m + q if mse is None else mse)
        return TestErrors(noisy=clean + self.noise, clean=clean)
