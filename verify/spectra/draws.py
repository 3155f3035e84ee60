"""Random matrices from the predicted law: eta ReLU(S0 + delta Z - epsilon) at finite d."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attlas.solver.learned_spectrum.rule import Rule


@dataclass(frozen=True, eq=False)
class Draw:
    """Eigenvalues and squared overlaps of a learned map, drawn or trained.

    Attributes
    ----------
    eigenvalues : ndarray (d,)
        Descending; those of the null space are exactly 0 or below the rank threshold.
    overlaps : ndarray (d, d)
        Squared, of the teacher's eigenvectors (rows) with the learned ones (columns).
    """

    eigenvalues: np.ndarray
    overlaps: np.ndarray


def draw_noisy(teacher: Sequence[float], delta: float, rng: np.random.Generator) -> np.ndarray:
    """S0 + delta Z in the eigenvectors of S0; Z is Gaussian of off-diagonal variance 1/d."""
    d = len(teacher)
    noise = rng.standard_normal((d, d))
    return np.diag(np.asarray(teacher, dtype=float)) + delta * (noise + noise.T) / np.sqrt(2 * d)


def draw_learned(
    teacher: Sequence[float], rule: Rule, delta: float, number: int, rng: np.random.Generator
) -> Iterator[Draw]:
    """Draws of the law at a teacher's own eigenvalues.

    Parameters
    ----------
    teacher : sequence of float
        The d eigenvalues of S0, descending. The law does not depend on its eigenvectors.
    rule : Rule
    delta : float
    number : int
    rng : Generator
    """
    for _ in range(number):
        x, vectors = np.linalg.eigh(draw_noisy(teacher, delta, rng))
        yield Draw(rule.along(x)[::-1], (vectors**2)[:, ::-1])
