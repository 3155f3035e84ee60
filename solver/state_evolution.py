"""The six equations of state evolution as one map on the conjugates, for any parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.model import Problem, require_problem
from attlas.model.channels import label_strength
from attlas.solver.channels import ChannelKernel, ChannelMoments, channel_kernel
from attlas.solver.denoisers import Denoiser, MatrixState
from attlas.solver.fixed_point import LeftDomain
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.spectrum import target_law

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StateEvolution:
    """The fixed-point map of theory.md section 3 for one problem.

    A map that is not symmetric has twice the free entries, and so twice the matrix side of the
    free energy: its equations are those of a symmetric one at alpha and penalty divided by two.

    Attributes
    ----------
    alpha : float
    freedom : int
        1 of symmetric maps, 2 of others (theory.md section 19).
    q0 : float
        Tr S0^2/d.
    signal : float
        Q = Q0 + noise/2.
    kernel : ChannelKernel
    matrix : Denoiser
    """

    alpha: float
    freedom: int
    q0: float
    signal: float
    kernel: ChannelKernel
    matrix: Denoiser

    @classmethod
    def of(cls, problem: Problem) -> StateEvolution:
        """The map of a problem's target, channel and estimator."""
        law, penalty = target_law(require_problem(problem).target), problem.estimator.trained()
        return cls(
            alpha=float(problem.alpha),
            freedom=penalty.freedom,
            q0=law.q0,
            signal=label_strength(law.q0, float(problem.channel.noise)),
            kernel=channel_kernel(problem.channel, problem.scores),
            matrix=Denoiser.of(penalty, law),
        )

    def moments(self, overlaps: Overlaps, level: int) -> ChannelMoments:
        """The channel's expectations, with overlaps kept inside their domain."""
        if not all(math.isfinite(value) for value in (overlaps.q, overlaps.m, overlaps.sigma)):
            raise LeftDomain("the overlaps are not finite")
        return self.kernel.moments(overlaps, self.signal, level)

    def conjugates(self, moments: ChannelMoments) -> Conjugates:
        """q_hat = -4 alpha dM/dSigma, m_hat = -2 alpha dM/dm, sigma_hat = 4 alpha dM/dq."""
        return conjugates_at(self.alpha / self.freedom, moments)

    def start(self, overlaps: Overlaps, level: int) -> Array:
        """Coordinates of the conjugates that given overlaps imply."""
        return coordinates(self.conjugates(self.moments(overlaps, level)))

    def step(self, x: Array, level: int) -> Array:
        """One undamped iteration, from and to coordinates of the conjugates."""
        state = self.state(x)
        overlaps = state.overlaps
        if state.collapsed:
            overlaps = Overlaps(q=0.0, m=0.0, sigma=0.0)
        return coordinates(self.conjugates(self.moments(overlaps, level)))

    def state(self, x: Array) -> MatrixState:
        """The matrix side at given coordinates of the conjugates."""
        if not np.all(np.isfinite(x)) or np.max(np.abs(x)) > 300:
            raise LeftDomain("the conjugates left the range of floating point")
        return self.matrix.state(hats(x))

    def free_energy(self, x: Array, state: MatrixState, moments: ChannelMoments) -> float:
        """Phi of theory.md section 3, which is lim E[min L]/d^2 at the minimum."""
        conjugates, overlaps = hats(x), state.overlaps
        pairing = (
            conjugates.q_hat * overlaps.sigma
            + 2 * conjugates.m_hat * overlaps.m
            - conjugates.sigma_hat * overlaps.q
        ) / 4
        return self.freedom * (pairing + state.free_energy) + self.alpha * moments.energy

    def replicon(
        self, moments: ChannelMoments, conjugates: Conjugates, slope: float | None = None
    ) -> float:
        """The stability parameter R of theory.md section 10; the point is stable for R < 1.

        ``slope`` is its matrix factor where that is known.
        """
        factor = self.matrix.slope(conjugates) if slope is None else slope
        return 2 * self.alpha / self.freedom * moments.response * factor


def conjugates_at(alpha: float, moments: ChannelMoments) -> Conjugates:
    """The sample side's conjugates; ``alpha`` is per ``freedom`` of the map."""
    return Conjugates(
        q_hat=-4 * alpha * moments.d_sigma,
        m_hat=-2 * alpha * moments.d_m,
        sigma_hat=4 * alpha * moments.d_q,
    )


def hats(x: Array) -> Conjugates:
    """Conjugates from the coordinates of the iteration, (log delta, log m_hat, log eta)."""
    delta, m_hat, eta = (float(value) for value in np.exp(x))
    return Conjugates(q_hat=(delta * m_hat) ** 2, m_hat=m_hat, sigma_hat=m_hat / eta)


def coordinates(conjugates: Conjugates) -> Array:
    """(log delta, log m_hat, log eta) with delta = sqrt(q_hat)/m_hat and eta = m_hat/sigma_hat.

    In these the channels' exact relations (eta = 1 for the linear one) hold to the last bit,
    which near perfect recovery, where the error is of order (eta - 1)^2, the conjugates'
    own logarithms would lose.
    """
    values = np.array([conjugates.q_hat, conjugates.m_hat, conjugates.sigma_hat])
    if not np.all(values > 0):
        raise LeftDomain("a conjugate is not positive")
    q_hat, m_hat, sigma_hat = np.log(values)
    return np.array([0.5 * q_hat - m_hat, m_hat, m_hat - sigma_hat])
