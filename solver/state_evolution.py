"""The six equations of state evolution as one map on the conjugates, for any parts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attlas.model import Problem, require_problem
from attlas.model.channels import label_strength
from attlas.solver.channels import (
    ChannelKernel,
    ChannelMoments,
    ReplicatedKernel,
    TestErrors,
    channel_kernel,
)
from attlas.solver.denoisers import Denoiser, MatrixState
from attlas.solver.fixed_point import LeftDomain
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.revealed import NOTHING, Revealed, revealed, score_tokens, whitened
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
        Tr S0^2/d; of C^(1/2) S0 C^(1/2) where tokens have a covariance C.
    signal : float
        Q = Q0 + noise/2.
    kernel : ChannelKernel
    matrix : Denoiser
    revealed : Revealed
        The statistics of S that the tokens reveal, if any.
    """

    alpha: float
    freedom: int
    q0: float
    signal: float
    kernel: ChannelKernel
    matrix: Denoiser
    revealed: Revealed = NOTHING

    @classmethod
    def of(cls, problem: Problem) -> StateEvolution:
        """The map of a problem's target, channel, estimator and tokens."""
        law = target_law(require_problem(problem, any_tokens=True).target)
        penalty, seen = problem.estimator.trained(), whitened(problem, law)
        shown = revealed(problem, law, seen)
        q0 = law.q0 if seen is None else seen.q0
        return cls(
            alpha=float(problem.alpha),
            freedom=penalty.freedom,
            q0=q0,
            signal=label_strength(q0, float(problem.channel.noise)),
            kernel=channel_kernel(problem.channel, problem.scores, score_tokens(problem, shown)),
            matrix=Denoiser.of(penalty, law, shown.names, seen),
            revealed=shown,
        )

    def moments(self, overlaps: Overlaps, level: int) -> ChannelMoments:
        """The channel's expectations, with overlaps kept inside their domain."""
        return self.kernel.moments(self._shown(overlaps), self.signal, level)

    def replicate_moments(self, overlaps: Overlaps, level: int) -> tuple[ChannelMoments, ...]:
        """The same from each randomisation of the nodes, where they are randomised."""
        assert isinstance(self.kernel, ReplicatedKernel)
        return self.kernel.replicate_moments(self._shown(overlaps), self.signal, level)

    def test_errors(self, overlaps: Overlaps, mse: float) -> TestErrors:
        """Test errors of a student of given overlaps."""
        q, m, shown = overlaps.q, overlaps.m, self._shown(overlaps).revealed
        return self.kernel.test_errors(q, m, self.q0, mse, shown)

    def _shown(self, overlaps: Overlaps) -> Overlaps:
        known = (overlaps.q, overlaps.m, overlaps.sigma, *overlaps.traces)
        if not all(math.isfinite(value) for value in known):
            raise LeftDomain("the overlaps are not finite")
        if not self.revealed.names:
            return overlaps
        return replace(overlaps, revealed=self.revealed.added(overlaps.traces))

    def conjugates(self, moments: ChannelMoments, traces: tuple[float, ...] = ()) -> Conjugates:
        """q_hat = -4 alpha dM/dSigma, m_hat = -2 alpha dM/dm, sigma_hat = 4 alpha dM/dq.

        And alpha dM/dt for each statistic that the tokens reveal, which ``traces`` holds.
        """
        slopes = self.revealed.slopes(traces, moments.d_own, moments.d_shared)
        pulls = tuple(self.alpha * one for one in slopes)
        return replace(conjugates_at(self.alpha / self.freedom, moments), pulls=pulls)

    def coordinates(self, moments: ChannelMoments, overlaps: Overlaps) -> Array:
        """Coordinates of the conjugates that the channel's expectations at overlaps imply."""
        return coordinates(self.conjugates(moments, overlaps.traces))

    def start(self, overlaps: Overlaps, level: int) -> Array:
        """Coordinates of the conjugates that given overlaps imply."""
        return self.coordinates(self.moments(overlaps, level), overlaps)

    def step(self, x: Array, level: int) -> Array:
        """One undamped iteration, from and to coordinates of the conjugates."""
        state = self.state(x)
        overlaps = state.overlaps
        if state.collapsed:
            overlaps = Overlaps(0.0, 0.0, 0.0, traces=self.revealed.scaled(0.0))
        return self.coordinates(self.moments(overlaps, level), overlaps)

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
        pairing -= sum(
            pull * trace for pull, trace in zip(conjugates.pulls, overlaps.traces, strict=True)
        )
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
    """Conjugates from the coordinates of the iteration, the inverse of :func:`coordinates`."""
    delta, m_hat, eta = (float(value) for value in np.exp(x[:3]))
    pulls = tuple(float(value) * m_hat / 2 for value in x[3:])
    return Conjugates((delta * m_hat) ** 2, m_hat, m_hat / eta, pulls)


def coordinates(conjugates: Conjugates) -> Array:
    """(log delta, log m_hat, log eta) with delta = sqrt(q_hat)/m_hat and eta = m_hat/sigma_hat.

    In these the channels' exact relations (eta = 1 for the linear one) hold to the last bit,
    which near perfect recovery, where the error is of order (eta - 1)^2, the conjugates'
    own logarithms would lose. Then 2 pull/m_hat for every statistic that tokens reveal, which is
    on the scale of the target's eigenvalues and of either sign.
    """
    values = np.array([conjugates.q_hat, conjugates.m_hat, conjugates.sigma_hat])
    if not np.all(values > 0):
        raise LeftDomain("a conjugate is not positive")
    q_hat, m_hat, sigma_hat = np.log(values)
    pulls = (2 * pull / conjugates.m_hat for pull in conjugates.pulls)
    return np.array([0.5 * q_hat - m_hat, m_hat, m_hat - sigma_hat, *pulls])
