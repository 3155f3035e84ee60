"""Second moments of tokens, on which the mean of their scores rests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attlas.model import Problem


@dataclass(frozen=True, eq=False)
class Moments:
    """E x_ai x_bj = positions_ab coordinates_i delta_ij, on which the mean of scores rests.

    Attributes
    ----------
    coordinates : ndarray (d,)
        Of mean 1.
    positions : ndarray (T, T)
    """

    coordinates: np.ndarray
    positions: np.ndarray

    @classmethod
    def of(cls, problem: Problem, d: int) -> Moments:
        """Of a problem's tokens at dimension d."""
        tokens = problem.tokens
        positions = np.eye(problem.channel.tokens)
        if tokens.positions is not None:
            positions = np.array(tokens.positions, dtype=float)
        return cls(tokens.second_moments(d), positions)

    def offset(self, s: np.ndarray) -> np.ndarray:
        """A_ab Tr CS/sqrt(d), the mean of x_a^T S x_b/sqrt(d): the offset of "trace".

        Tr S/sqrt(d), which is as good for C = 1, would force Tr (C - 1)S = 0 on the student.
        """
        return self.positions * (self.coordinates @ s.diagonal() / np.sqrt(len(s)))

    def whitened(self, s: np.ndarray) -> np.ndarray:
        """C^(1/2) S C^(1/2), whose overlaps the theory is about."""
        root = np.sqrt(self.coordinates)
        return root[:, None] * s * root
