"""What message passing records at each iteration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Iteration:
    """Order parameters after one iteration. theory.md section 10.

    Attributes
    ----------
    step : int
        From 1.
    q, m : float
        Tr S^2/d and Tr S S0/d of the new map.
    sigma : float
        The new Onsager variance.
    q_hat, sigma_hat : float
        Conjugates estimated in this iteration.
    change : float
        |new S - old S|_F over the larger of |S|_F and sqrt(d).
    turn : float
        Cosine between this change of S and the last: -1 oscillates, +1 creeps; 0 at first.
    replicon : float
        Empirical stability parameter R; the fixed point is stable below 1.
    """

    step: int
    q: float
    m: float
    sigma: float
    q_hat: float
    sigma_hat: float
    change: float
    turn: float
    replicon: float
