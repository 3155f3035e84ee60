"""The limit lam -> 0+ with more data than can be interpolated: a family in sigma."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from attlas.solver.denoisers import MatrixState
from attlas.solver.fixed_point import FixedPoint, LeftDomain, derivative
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.ridgeless.balance import Array
from attlas.solver.state_evolution import StateEvolution

#: sigma at which the family is entered and the largest and smallest to which it is followed, in
#: units of the variance of the student's scores.
_ENTRY, _LARGEST, _SMALLEST = 1e5, 1e10, 1e-3
_FACTOR = 3.0
#: Residual at which Newton stops, and the largest that rounding at large sigma may leave.
_TOLERANCE, _NOISE = 1e-10, 1e-5
_NEWTON_STEPS = 12
_WIDTH = 1e-5


@dataclass
class _Family:
    """Solutions at given sigma, each found from its neighbour; alpha follows."""

    system: StateEvolution
    known: dict[float, Array]
    evaluations: int = 0

    def excess(self, log_sigma: float) -> float:
        """log of alpha on the family over the alpha of the problem."""
        x = self.known[min(self.known, key=lambda at: abs(at - log_sigma))]
        best = (math.inf, x, math.nan)
        for _ in range(_NEWTON_STEPS):
            defect, alpha = self._defect(x, log_sigma)
            size = float(np.max(np.abs(defect)))
            best = min(best, (size, x, alpha), key=lambda found: found[0])
            if size < _TOLERANCE:
                break
            columns = []
            for index in range(x.size):
                shift = np.zeros(x.size)
                shift[index] = _WIDTH
                columns.append((self._defect(x + shift, log_sigma)[0] - defect) / _WIDTH)
            change = np.linalg.solve(np.stack(columns, axis=1), -defect)
            x = x + change * min(1.0, 0.5 / max(float(np.max(np.abs(change))), 1e-300))
        size, x, alpha = best
        if size > _NOISE:
            raise LeftDomain(f"no solution found at sigma = {math.exp(log_sigma):.3g}")
        self.known[log_sigma] = x
        return math.log(alpha / self.system.alpha)

    def coordinates(self, log_sigma: float) -> Array:
        """The iteration's coordinates (log delta, log m_hat, log eta) at a sigma just solved."""
        log_delta, log_eta = self.known[log_sigma]
        state = self._state(self.known[log_sigma])
        log_hat = math.log(state.overlaps.sigma) - log_sigma
        return np.array([log_delta, log_hat + log_eta, log_eta])

    def _state(self, x: Array) -> MatrixState:
        """The matrix side at sigma_hat = 1."""
        delta, eta = np.exp(x)
        return self.system.matrix.state(
            Conjugates(q_hat=float(delta * eta) ** 2, m_hat=float(eta), sigma_hat=1.0)
        )

    def _defect(self, x: Array, log_sigma: float) -> tuple[Array, float]:
        state, sigma = self._state(x), math.exp(log_sigma)
        overlaps = Overlaps(state.overlaps.q, state.overlaps.m, sigma, state.overlaps.mse)
        moments = self.system.moments(overlaps, 0)
        self.evaluations += 1
        alpha = state.overlaps.sigma / (4 * moments.d_q * sigma)
        log_delta = 0.5 * math.log(-moments.d_sigma / alpha) - math.log(-moments.d_m)
        log_eta = math.log(-moments.d_m / (2 * moments.d_q))
        return np.array([log_delta, log_eta]) - x, alpha


def follow_from_peak(system: StateEvolution, log_delta: float) -> FixedPoint:
    """A fixed point of the iteration at penalty 0, on the family that starts at the peak.

    At the interpolation threshold sigma is infinite and delta known. From there sigma is lowered
    until alpha on the family has reached that of the problem (theory.md section 8).

    Parameters
    ----------
    system : StateEvolution
        At penalty 0.
    log_delta : float
        log delta at the threshold.

    Returns
    -------
    FixedPoint
        On the coarsest nodes.

    Raises
    ------
    LeftDomain
        Where the family cannot be followed.
    """
    family = _Family(system, {math.inf: np.array([log_delta, math.log(system.kernel.scale)])})
    unit = math.log(system.kernel.scale**2 * system.signal)
    log_sigma, step = unit + math.log(_ENTRY), math.log(_FACTOR)
    value = family.excess(log_sigma)
    rising = value > 0
    before = log_sigma
    while (value > 0) == rising:
        before, log_sigma = log_sigma, log_sigma + (step if rising else -step)
        if not math.log(_SMALLEST) < log_sigma - unit < math.log(_LARGEST):
            raise LeftDomain("the family does not reach this alpha")
        value = family.excess(log_sigma)
    low, high = sorted((before, log_sigma))
    root = float(brentq(family.excess, low, high, xtol=1e-12, rtol=1e-14))  # type: ignore[arg-type]
    family.excess(root)
    x = family.coordinates(root)
    following = system.step(x, 0)
    slopes = derivative(lambda at: system.step(at, 0), x, following)
    return FixedPoint(x, following - x, slopes, family.evaluations)
