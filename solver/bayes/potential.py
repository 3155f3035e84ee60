"""The Bayes-optimal equations: all their solutions, and the one of lowest free energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq

from attlas.solver.spectrum import TargetLaw

_NODES_TOL = 1e-13
#: Relative error of 1 - (4 pi^2/3) delta^2 int rho^3 by the nodes, against its terms.
_ROUNDING = 1e-13
_PER_DECADE = 12
#: Noise levels delta looked at, relative to sqrt(Q0), where nothing else bounds them.
_SMALLEST = 1e-8
_LEGENDRE = np.polynomial.legendre.leggauss(24)
_WIDTH = 1e-4


@dataclass(frozen=True)
class BayesPoint:
    """A stationary point of the Bayes free energy.

    Attributes
    ----------
    delta : float
        1/sqrt(q_hat); 0 where the target is recovered exactly.
    mse : float
        Q0 - q.
    mse_error : float
        Absolute error bar.
    residual : float
        log of 2 a delta^2/(mse + noise/2), recomputed.
    """

    delta: float
    mse: float
    mse_error: float
    residual: float


@dataclass(frozen=True)
class BayesProblem:
    """q_hat = 2a/(Q0 - q + noise/2), the optimal denoiser of S0 + delta Z. theory.md section 12.

    Parameters
    ----------
    law : TargetLaw
    a : float
        alpha D.
    half_noise : float
        noise/2.
    """

    law: TargetLaw
    a: float
    half_noise: float

    def solve(self) -> tuple[BayesPoint, ...]:
        """All stationary points, lowest free energy first.

        The squared error of the denoiser is compared with what the data allow on a grid of noise
        levels; every sign change holds a solution.
        """
        high = math.log(math.sqrt((self.law.q0 + self.half_noise) / (2 * self.a))) + 1e-3
        low = math.log(_SMALLEST * math.sqrt(self.law.q0))
        if self.half_noise:
            low = max(low, math.log(math.sqrt(self.half_noise / (2 * self.a))) - 1e-3)
        count = max(4, math.ceil((high - low) / math.log(10) * _PER_DECADE))
        grid = np.linspace(low, high, count)
        excess = [self._excess(float(x)) for x in grid]
        points = [
            self._point(float(brentq(self._excess, grid[i], grid[i + 1], xtol=1e-15, rtol=1e-15)))  # type: ignore[arg-type]
            for i in range(count - 1)
            if (excess[i] < 0) != (excess[i + 1] < 0)
        ]
        if not self.half_noise and excess[0] > 0:
            # Without noise the information in the data is unbounded at exact recovery.
            return (BayesPoint(0.0, 0.0, 0.0, 0.0), *points)
        energies = {points[0].delta: 0.0}
        for left, right in pairwise(points):
            energies[right.delta] = energies[left.delta] + self._difference(left, right)
        return tuple(sorted(points, key=lambda point: energies[point.delta]))

    def remaining(self, delta: float) -> tuple[float, float]:
        """mse/delta^2 of the optimal denoiser at noise level delta, and its absolute error."""
        nodes = self.law.noisy(delta).nodes(tol=_NODES_TOL)
        removed = 4 / 3 * math.pi**2 * delta**2 * float(np.sum(nodes.w * nodes.rho**2))
        return max(1 - removed, 0.0), _ROUNDING * (1 + removed)

    def _excess(self, log_delta: float) -> float:
        """log of 2 a/(mse/delta^2 + noise/(2 delta^2)): positive where data are plentiful."""
        rest = self.remaining(math.exp(log_delta))[0] + self.half_noise * math.exp(-2 * log_delta)
        return math.log(2 * self.a) - math.log(max(rest, 1e-300))

    def _point(self, log_delta: float) -> BayesPoint:
        delta = math.exp(log_delta)
        rest, rest_error = self.remaining(delta)
        residual = self._excess(log_delta)
        rise = abs(self._excess(log_delta + _WIDTH) - self._excess(log_delta - _WIDTH))
        noise = abs(residual) + rest_error / (2 * self.a) + 1e-15
        moved = abs(
            math.exp(2 * _WIDTH) * self.remaining(delta * math.exp(_WIDTH))[0]
            - math.exp(-2 * _WIDTH) * self.remaining(delta * math.exp(-_WIDTH))[0]
        )
        error = rest_error + (moved * noise / rise if rise else math.inf)
        return BayesPoint(delta, delta**2 * rest, delta**2 * error, abs(residual))

    def _difference(self, left: BayesPoint, right: BayesPoint) -> float:
        """Free energy of the right point minus that of the left one, per d^2.

        I(1/delta^2) + :data:`attlas.symbolic.thresholds.bayes.POTENTIAL`, where I is the
        information that S0 + delta Z holds: dI/d(1/delta^2) = mse/4.
        """
        x, w = _LEGENDRE
        low, high = math.log(left.delta), math.log(right.delta)
        middle, half = (low + high) / 2, (high - low) / 2
        slope = [self.remaining(math.exp(middle + half * float(t)))[0] / 2 for t in x]
        information = -half * float(np.dot(w, slope))

        def local(point: BayesPoint) -> float:
            return _local()(self.a, 2 * self.half_noise, point.mse, point.delta**-2)

        return information + local(right) - local(left)


@cache
def _local() -> Any:
    """The free energy without that information, of a, noise, Q0 - q and q_hat."""
    import sympy as sp

    from attlas.symbolic import notation as sym
    from attlas.symbolic.thresholds.bayes import POTENTIAL

    mse = POTENTIAL.subs(sym.q, sym.q0 - sym.mse)
    return sp.lambdify((sym.a, sym.noise, sym.mse, sym.q_hat), mse, "math")
