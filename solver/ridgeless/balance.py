"""Two equations for (delta, sigma_hat), solved by one bracketed root inside another.

Where a channel constrains the scores linearly - the linear channel at any penalty, any channel
while its labels are interpolated - the six equations of theory.md section 3 reduce to

    2 a delta^2 = q - 2m + Q,        own sigma_hat + 4 sigma_hat sigma = 8 a,

with a = alpha D and eta = beta0/beta scaled out (theory.md sections 7, 8 and 11). ``own`` is 1 for
the linear channel and 0 for interpolation, where sigma_hat is measured in units of the vanishing
penalty. Both hold for every penalty; the matrix side is its denoiser. Of a map that is not
symmetric a is halved and ``own`` doubled (theory.md section 19).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from attlas.solver.denoisers import Denoiser, MatrixState
from attlas.solver.fixed_point import LeftDomain
from attlas.solver.order_parameters import Conjugates

Array = NDArray[np.float64]

#: Noise levels that are looked for, relative to sqrt(Q0).
_SMALLEST_DELTA = 1e-14
#: How far log delta may rise above its value at S = 0.
_LARGEST_RISE = 12.0
#: Relative rounding of one evaluation of either equation, besides the spectral integrals.
_ROUNDING = 2e-15
#: Step of the differences in logarithms: the equations are nearly quadratic near recovery.
_WIDTH = 1e-3
#: Squared errors relative to Q0 that may be rounding of exact recovery.
_RECOVERED = 1e-14


class Regime(Enum):
    """Where the data put the problem."""

    DETERMINED = auto()  # both equations have a solution
    BEYOND = auto()  # the second has none at any penalty: more data than can be interpolated
    RECOVERED = auto()  # the first holds only at delta = 0: exact recovery
    UNBOUNDED = auto()  # the squared error is infinite: a peak that nothing regularises


@dataclass(frozen=True)
class Root:
    """A solution of both equations.

    Attributes
    ----------
    regime : Regime
    x : array (2,)
        log delta and log sigma_hat; sigma_hat is infinite beyond interpolation.
    defect : array (2,)
        Both equations, as logarithms of ratios, recomputed at ``x``.
    x_error : array (2,)
        Error bar of ``x`` from the defect, rounding and the spectral integrals.
    evaluations : int
    """

    regime: Regime
    x: Array
    defect: Array
    x_error: Array
    evaluations: int

    @property
    def delta(self) -> float:
        return math.exp(self.x[0])

    @property
    def stiffness(self) -> float:
        """sigma_hat."""
        return math.exp(self.x[1])


@dataclass(frozen=True)
class Balance:
    """The two equations of one problem.

    Parameters
    ----------
    matrix : Denoiser
        At the problem's penalty; at penalty 1 for ``own = 0``.
    loose : Denoiser
        The same at penalty 0.
    a : float
        alpha D, per freedom of the map.
    half_noise : float
        noise/2.
    q0 : float
    own : {0, 1, 2}
    """

    matrix: Denoiser
    loose: Denoiser
    a: float
    half_noise: float
    q0: float
    own: int

    def state(self, x: Array) -> MatrixState:
        """The matrix side at (log delta, log sigma_hat), at eta = 1 before the penalty."""
        return self._state(self.matrix, math.exp(x[0]), math.exp(x[1]))

    def solve(self) -> Root:
        """Find the root; it is unique for convex penalties."""
        counted = _Counter(self._excess)
        high = math.log(math.sqrt((self.q0 + self.half_noise) / (2 * self.a)))
        ceiling = high + _LARGEST_RISE
        while counted(high) <= 0:
            high += 1.0
            if high > ceiling:
                # The equation is empty at this a, or the error grows without bound towards it.
                regime = Regime.UNBOUNDED if self.half_noise else Regime.RECOVERED
                return Root(regime, *_nowhere(), counted.calls)
        low = high
        floor = math.log(_SMALLEST_DELTA * math.sqrt(self.q0))
        while counted(low) > 0:
            low -= 2.0
            if low < floor and self.half_noise == 0:
                return Root(Regime.RECOVERED, *_nowhere(), counted.calls)
        log_delta = float(brentq(counted, low, high, xtol=2e-16, rtol=1e-15, maxiter=200))  # type: ignore[arg-type]
        log_hat = self._log_hat(log_delta)
        x = np.array([log_delta, math.inf if log_hat is None else log_hat])
        if log_hat is None:
            if self.half_noise == 0:  # S0 itself interpolates: only rounding left delta > 0
                return Root(Regime.RECOVERED, *_nowhere(), counted.calls)
            return Root(Regime.BEYOND, x, *self._beyond(log_delta), counted.calls)
        defect = self._residual(x)
        noise = np.abs(defect) + self.rounding(self.state(x))
        error = self._propagated(x, noise)
        if error[0] > 0.5 and self.half_noise == 0 and math.exp(2 * log_delta) < _RECOVERED:
            return Root(Regime.RECOVERED, *_nowhere(), counted.calls)
        return Root(Regime.DETERMINED, x, defect, error, counted.calls)

    def peak(self) -> float | None:
        """log delta at the interpolation threshold, or None where the error there is infinite.

        There 4 sigma_hat sigma = 8 a at no penalty, and the first equation gives delta.
        """

        def excess(log_delta: float) -> float:
            state = self._loose_state(log_delta)
            return (
                2 * log_delta
                + math.log(state.overlaps.sigma)
                - math.log(state.mse + self.half_noise)
            )

        low = high = math.log(math.sqrt(self.q0 + self.half_noise))
        while excess(high) <= 0:
            high += 1.0
            if high > low + _LARGEST_RISE:
                return None
        while excess(low) > 0:
            low -= 1.0
        return float(brentq(excess, low, high, xtol=2e-16, rtol=1e-15))  # type: ignore[arg-type]

    def _beyond(self, log_delta: float) -> tuple[Array, Array]:
        """Defect and error bar where only the first equation holds."""
        defect = self._excess(log_delta)
        rise = self._excess(log_delta + _WIDTH) - self._excess(log_delta - _WIDTH)
        noise = abs(defect) + self.rounding(self._loose_state(log_delta))[0]
        return np.array([defect, 0.0]), np.array([noise * 2 * _WIDTH / abs(rise), 0.0])

    def rounding(self, state: MatrixState) -> Array:
        """Error of both equations from rounding and the spectral integrals, shape (2,).

        Parameters
        ----------
        state : MatrixState
            At eta = 1 before the penalty, as from ``state``.
        """
        first = state.mse_error / max(state.mse + self.half_noise, state.mse_error)
        sigma = state.overlaps.sigma
        second = 4 * state.sigma_error / (self.own + 4 * sigma)
        return 4 * np.array([first, second]) + _ROUNDING

    @staticmethod
    def _state(matrix: Denoiser, delta: float, hat: float) -> MatrixState:
        return matrix.state(Conjugates(q_hat=(delta * hat) ** 2, m_hat=hat, sigma_hat=hat))

    def _loose_state(self, log_delta: float) -> MatrixState:
        return self._state(self.loose, math.exp(log_delta), 1.0)

    def _log_hat(self, log_delta: float) -> float | None:
        """log sigma_hat from the second equation at a given delta, if it has a solution."""
        delta = math.exp(log_delta)
        goal = 8 * self.a

        def excess(log_hat: float) -> float:
            hat = math.exp(log_hat)
            sigma = self._state(self.matrix, delta, hat).overlaps.sigma
            return (self.own * hat + 4 * hat * sigma) / goal - 1

        low = high = math.log(goal) if self.own else 0.0
        if self.own:
            if excess(high) <= 0:
                return high
        else:
            if 4 * self._loose_state(log_delta).overlaps.sigma <= goal:
                return None
            while excess(high) < 0:
                low, high = high, high + 3.0
                if high > 600:
                    return None
        while excess(low) > 0:
            low, high = low - 3.0, low
            if low < -600:
                return None
        return float(brentq(excess, low, high, xtol=2e-16, rtol=1e-15, maxiter=200))  # type: ignore[arg-type]

    def _excess(self, log_delta: float) -> float:
        """log of 2 a delta^2/(q - 2m + Q), with sigma_hat from the other equation."""
        log_hat = self._log_hat(log_delta)
        if log_hat is None:
            state = self._loose_state(log_delta)
        else:
            state = self.state(np.array([log_delta, log_hat]))
        return self._first(log_delta, state)

    def _first(self, log_delta: float, state: MatrixState) -> float:
        errors = state.mse + self.half_noise
        if not errors > 0:  # a law that is only approximate has such states
            raise LeftDomain("the squared error is not positive")
        return math.log(2 * self.a) + 2 * log_delta - math.log(errors)

    def _residual(self, x: Array) -> Array:
        state = self.state(x)
        hat = math.exp(x[1])
        samples = (self.own * hat + 4 * hat * state.overlaps.sigma) / (8 * self.a)
        if not samples > 0:
            raise LeftDomain("the proximal variance vanishes in floating point")
        second = math.log(samples)
        return np.array([self._first(float(x[0]), state), second])

    def _propagated(self, x: Array, noise: Array) -> Array:
        try:
            return np.abs(np.linalg.inv(self._jacobian(x))) @ noise
        except np.linalg.LinAlgError:
            return np.full(2, np.inf)

    def _jacobian(self, x: Array) -> Array:
        columns = []
        for index in range(2):
            step = np.zeros(2)
            step[index] = _WIDTH
            columns.append((self._residual(x + step) - self._residual(x - step)) / (2 * _WIDTH))
        return np.stack(columns, axis=1)


class _Counter:
    def __init__(self, function: Callable[[float], float]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, at: float) -> float:
        self.calls += 1
        return self.function(at)


def _nowhere() -> tuple[Array, Array, Array]:
    return np.array([-np.inf, np.inf]), np.zeros(2), np.zeros(2)
