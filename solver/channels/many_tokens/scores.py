"""The combinations of scores that a label sees, in whitened coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

Array = NDArray[np.floating]


@dataclass(frozen=True)
class ReducedScores:
    """h_ab = sum_k E_ab,k zeta_k with zeta i.i.d.: theory.md section 4.

    Adding a constant to all scores changes no label. E is an orthonormal basis, in the metric
    sum_{a<=b} h_ab^2/(1 + delta_ab), of the complement of that shift, so that the proximal metric
    is |zeta - zeta_omega|^2 / (2 sigma).

    Attributes
    ----------
    tokens : int
        T.
    dimension : int
        D = T(T+1)/2 - 1.
    rows : array (T, T, D)
        E, as the rows of the symmetric matrix of scores.
    curvature_map : array (D * D, T * T(T+1)/2)
        From the lower triangles of the Hessians of the T rows, in their scores, to the Hessian in
        zeta; off-diagonal entries count twice.
    """

    tokens: int
    dimension: int
    rows: Array
    curvature_map: Array

    @cached_property
    def single(self) -> ReducedScores:
        """The same in single precision."""
        return ReducedScores(
            self.tokens,
            self.dimension,
            self.rows.astype(np.float32),
            self.curvature_map.astype(np.float32),
        )


@lru_cache(maxsize=8)
def reduced_scores(tokens: int) -> ReducedScores:
    """The reduced coordinates of a given number of tokens, T >= 2."""
    first, second = np.tril_indices(tokens)
    basis = whitened_differences(np.where(first == second, 2.0, 1.0))
    dimension = basis.shape[1]
    rows = np.empty((tokens, tokens, dimension))
    rows[first, second] = rows[second, first] = basis
    outer = np.einsum("ijk,ilm->ijlkm", rows, rows)
    both = outer + outer.swapaxes(1, 2)
    lower = np.where((first == second)[:, None, None], 0.5, 1.0) * both[:, first, second]
    curvature_map = lower.reshape(-1, dimension * dimension).T
    return ReducedScores(tokens, dimension, rows, np.ascontiguousarray(curvature_map))


def whitened_differences(variances: Array) -> Array:
    """Orthonormal basis, in the metric sum h^2/variance, of what a shift of all h leaves free.

    Parameters
    ----------
    variances : array (K,)
        Of independent scores.

    Returns
    -------
    array (K, K - 1)
        With i.i.d. unit normals zeta, ``basis @ zeta`` has the scores' law up to a shift.
    """
    spread = np.sqrt(variances)
    return spread[:, None] * null_space((1 / spread)[None, :])
