"""How the test error responds to the squared error, around the best multiple of the target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from attlas.solver.order_parameters import Overlaps
from attlas.solver.state_evolution import StateEvolution

Array = NDArray[np.float64]

#: Degrees of two interpolants whose difference bounds the error of the lower one.
_DEGREES = (14, 18)


@dataclass(frozen=True)
class Response:
    """Expansion of the test error around q = eta*^2 Q0, m = eta* Q0 (theory.md section 13).

    Attributes
    ----------
    eta_star : float
        The factor minimising the test error along S proportional to S0.
    e0 : float
        Test error there.
    c1 : float
        de_test/dq there; the point lies on the boundary of the domain, so the derivative is
        one-sided.
    c2 : float
        Half the second derivative along S proportional to S0, less c1 Q0.
    error_c1, error_c2 : float
        Absolute errors of the two coefficients.
    """

    eta_star: float
    e0: float
    c1: float
    c2: float
    error_c1: float
    error_c2: float


def response(system: StateEvolution) -> Response:
    """The expansion for a problem's channel, target and tokens.

    What tokens reveal of S besides q and m is that of the multiple of the target.
    """
    kernel, q0 = system.kernel, system.q0

    def error(q: float, m: float, scale: float) -> float:
        traces = system.revealed.scaled(scale)
        return system.test_errors(Overlaps(q, m, 0.0, traces=traces), q - 2 * m + q0).noisy

    def along(scale: float) -> float:
        return error(scale**2 * q0, scale * q0, scale)

    # Label noise only shrinks the best factor, and never below half of the clean one here.
    found: Any = minimize_scalar(
        along,
        bounds=(0.2 * kernel.scale, 1.2 * kernel.scale),
        method="bounded",
        options={"xatol": 1e-10},
    )
    eta_star = _stationary(along, float(found.x))
    q, m = eta_star**2 * q0, eta_star * q0
    (c1, error_c1) = _derivative(lambda value: error(value, m, eta_star), q, (q, 1.6 * q), order=1)
    (half, error_half) = _derivative(along, eta_star, (0.6 * eta_star, 1.4 * eta_star), order=2)
    return Response(
        eta_star=eta_star,
        e0=along(eta_star),
        c1=c1,
        c2=0.5 * half - c1 * q0,
        error_c1=error_c1,
        error_c2=0.5 * error_half + error_c1 * q0,
    )


def _stationary(function: Callable[[float], float], near: float) -> float:
    """The minimum, polished on an interpolant's derivative: a minimiser alone has eight digits."""
    window = [0.97 * near, 1.03 * near]
    slope = Chebyshev.interpolate(_vectorised(function), 12, domain=window).deriv()
    roots = [float(root.real) for root in slope.roots() if abs(root.imag) < 1e-9]
    inside = [root for root in roots if window[0] < root < window[1]]
    return min(inside, key=lambda root: abs(root - near), default=near)


def _derivative(
    function: Callable[[float], float], at: float, window: tuple[float, float], order: int
) -> tuple[float, float]:
    """A derivative of an analytic function on an interval, with an error estimate."""
    rough, fine = (
        float(
            Chebyshev.interpolate(_vectorised(function), degree, domain=list(window)).deriv(order)(
                at
            )
        )
        for degree in _DEGREES
    )
    return fine, abs(fine - rough) + 1e-12 * abs(fine)


def _vectorised(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda points: np.array([function(float(point)) for point in points])
