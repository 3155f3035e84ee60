# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportReturnType=false
"""A solved T = 1 problem by quadrature and bracketing: a route independent of the package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import optimize

from tests.symbolic.quadrature import QuadratureLaw


@dataclass(frozen=True)
class LinearPoint:
    """All numbers of theory.md section 15's first T = 1 line (published squared error)."""

    values: dict[str, float]
    mse: float
    loss: float


@cache
def linear_point() -> LinearPoint:
    """kappa0 = 0.3, alpha = 0.09079840, lam_tilde = 0.19892933, noise = 0.

    Ridge-like relations of T = 1: eta = 1, sigma_hat = m_hat = 2 lam_tilde/epsilon,
    2 alpha delta^2 = mse and lam_tilde/epsilon = 4 alpha - J1/delta.
    """
    alpha, lam_tilde, kappa0 = 0.09079840, 0.19892933, 0.3

    def threshold(law: QuadratureLaw) -> float:
        top = law.bands[-1][1]

        def balance(epsilon: float) -> float:
            return epsilon * (4 * alpha - law.J1(epsilon) / law.delta) - lam_tilde

        return optimize.brentq(balance, 1e-6, top, xtol=1e-14)

    def error(law: QuadratureLaw, epsilon: float) -> float:
        """Q0 + int (epsilon^2 - x^2) + delta J1, the form without cancellation."""
        part = law.average(lambda x, _h, _r: epsilon**2 - x**2, epsilon)
        return 1 + kappa0 + part + law.delta * law.J1(epsilon)

    def mismatch(delta: float) -> float:
        law = QuadratureLaw(kappa0, delta)
        return error(law, threshold(law)) - 2 * alpha * delta**2

    delta = optimize.brentq(mismatch, 1.5, 3.5, xtol=1e-13)
    law = QuadratureLaw(kappa0, delta)
    epsilon = threshold(law)
    m_hat = 2 * lam_tilde / epsilon
    j, j1, j2 = law.J(epsilon), law.J1(epsilon), law.J2(epsilon)
    q = j
    m = law.average(lambda x, h, _r: (x - epsilon) * (x - 2 * delta**2 * h), epsilon)
    sigma = j1 / (2 * delta * m_hat)
    misfit = 1 + kappa0 - 2 * m + q
    trace = law.average(lambda x, _h, _r: x - epsilon, epsilon)
    values = {
        "alpha": alpha, "lam_tilde": lam_tilde, "q_label": 1 + kappa0, "q": q, "m": m,
        "sigma": sigma, "q_hat": (delta * m_hat) ** 2, "m_hat": m_hat, "sigma_hat": m_hat,
        "delta": delta, "epsilon": epsilon, "eta": 1.0, "J": j, "J1": j1, "J2": j2,
    }  # fmt: skip
    # The loss by definition: training error of the shrunken residual plus the penalty's trace.
    loss = alpha * 2 * misfit / (1 + 4 * sigma) ** 2 + lam_tilde * trace
    return LinearPoint({key: float(np.real(v)) for key, v in values.items()}, 2 * alpha * delta**2,
                       float(loss))  # fmt: skip
