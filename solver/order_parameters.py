"""Order parameters and their conjugates, as different types so that they cannot be confused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Overlaps:
    """q = Tr S^2/d, m = Tr S S0/d and sigma, the proximal (Onsager) variance. theory.md section 3.

    All are of order one as d -> infinity; ``q >= 0``, ``0 <= m^2 <= q Q0``, ``sigma > 0``.
    ``mse`` is q - 2m + Q0 where it is known without the cancellation of that form, which near
    perfect recovery leaves no digits.

    ``traces`` are the linear statistics of S that the norms of the tokens reveal, and ``revealed``
    what these add to the variance of a diagonal score and to its covariance with the teacher's
    (theory.md section 17); of Gaussian isotropic tokens there are none.
    """

    q: float
    m: float
    sigma: float
    mse: float | None = None
    traces: tuple[float, ...] = ()
    revealed: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Conjugates:
    """q_hat, m_hat, sigma_hat, conjugate to q, m and sigma. theory.md section 3.

    ``pulls`` are conjugate to the traces of :class:`Overlaps`: coefficients of more penalties, each
    linear in S (theory.md section 17).
    """

    q_hat: float
    m_hat: float
    sigma_hat: float
    pulls: tuple[float, ...] = ()

    @property
    def delta(self) -> float:
        """sqrt(q_hat)/m_hat, the noise that the matrix S0 + delta Z carries."""
        return self.q_hat**0.5 / self.m_hat
