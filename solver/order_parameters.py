"""Order parameters and their conjugates, as different types so that they cannot be confused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Overlaps:
    """q = Tr S^2/d, m = Tr S S0/d and sigma, the proximal (Onsager) variance. theory.md section 3.

    All are of order one as d -> infinity; ``q >= 0``, ``0 <= m^2 <= q Q0``, ``sigma > 0``.
    ``mse`` is q - 2m + Q0 where it is known without the cancellation of that form, which near
    perfect recovery leaves no digits.
    """

    q: float
    m: float
    sigma: float
    mse: float | None = None


@dataclass(frozen=True)
class Conjugates:
    """q_hat, m_hat, sigma_hat, conjugate to q, m and sigma. theory.md section 3."""

    q_hat: float
    m_hat: float
    sigma_hat: float

    @property
    def delta(self) -> float:
        """sqrt(q_hat)/m_hat, the noise that the matrix S0 + delta Z carries."""
        return self.q_hat**0.5 / self.m_hat
