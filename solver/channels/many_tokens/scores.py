"""The combinations of scores that a label sees, in whitened coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from attlas.model.errors import BadInput
from attlas.solver.channels.kernel import ScoreTokens

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
    shares, noise : array (D,)
        Of each coordinate, what tokens that are not the usual ones make of it (theory.md section
        17): the part of the variance that they add to diagonal scores, and the variance of label
        noise over that of independent tokens.
    """

    tokens: int
    dimension: int
    rows: Array
    curvature_map: Array
    shares: Array
    noise: Array

    @cached_property
    def single(self) -> ReducedScores:
        """The same in single precision."""
        return ReducedScores(
            self.tokens,
            self.dimension,
            self.rows.astype(np.float32),
            self.curvature_map.astype(np.float32),
            self.shares,
            self.noise,
        )


@lru_cache(maxsize=8)
def reduced_scores(tokens: int) -> ReducedScores:
    """The reduced coordinates of a given number of tokens, T >= 2."""
    first, second = np.tril_indices(tokens)
    basis = whitened_differences(np.where(first == second, 2.0, 1.0))
    rows = np.empty((tokens, tokens, basis.shape[1]))
    rows[first, second] = rows[second, first] = basis
    return _of_rows(rows, np.zeros(basis.shape[1]), np.ones(basis.shape[1]))


@lru_cache(maxsize=8)
def token_scores(tokens: int, given: ScoreTokens) -> ReducedScores:
    """Coordinates in which what tokens add, and what they make of the noise, are diagonal.

    Scores are A^(1/2) h' A^(1/2) with h' those of independent positions: zeta are the coordinates
    of h', of which no label sees A^(-1/2) 1 1^T A^(-1/2).

    Raises
    ------
    BadInput
        If both are not diagonal at once.
    """
    first, second = np.tril_indices(tokens)
    variances = np.where(first == second, 2.0, 1.0)
    values, vectors = np.linalg.eigh(np.array(given.positions or np.eye(tokens), dtype=float))
    root, inverse = ((vectors * values**power) @ vectors.T for power in (0.5, -0.5))
    shift = np.outer(inverse.sum(axis=0), inverse.sum(axis=0))[first, second]
    basis = whitened_differences(variances, shift)
    rows = np.empty((tokens, tokens, basis.shape[1]))
    rows[first, second] = rows[second, first] = basis
    added = np.einsum("aaj,aak->jk", rows, rows) / 4
    units = np.zeros((first.size, tokens, tokens))
    units[np.arange(first.size), first, second] = units[np.arange(first.size), second, first] = 1
    moved = (inverse @ units @ inverse)[:, first, second]
    heard = (moved * variances[:, None] ** 0.5 / variances) @ basis
    noise = heard.T @ heard
    turn = np.linalg.eigh(noise if given.positions else added)[1]
    both = [turn.T @ matrix @ turn for matrix in (added, noise)]
    for matrix, counts in zip(both, (given.teacher != 0, True), strict=True):
        if counts and np.max(np.abs(matrix - np.diag(np.diag(matrix)))) > 1e-12:
            raise BadInput(
                "token_positions",
                "correlated positions",
                "go with tokens whose norm fluctuates for two tokens only",
            )
    moved_rows = root @ (rows @ turn).transpose(2, 0, 1) @ root
    return _of_rows(moved_rows.transpose(1, 2, 0), *map(np.diag, both))


def _of_rows(rows: Array, shares: Array, noise: Array) -> ReducedScores:
    tokens, _, dimension = rows.shape
    first, second = np.tril_indices(tokens)
    outer = np.einsum("ijk,ilm->ijlkm", rows, rows)
    both = outer + outer.swapaxes(1, 2)
    lower = np.where((first == second)[:, None, None], 0.5, 1.0) * both[:, first, second]
    curvature_map = lower.reshape(-1, dimension * dimension).T
    curvature_map = np.ascontiguousarray(curvature_map)
    return ReducedScores(tokens, dimension, rows, curvature_map, shares, noise)


def whitened_differences(variances: Array, shift: Array | None = None) -> Array:
    """Orthonormal basis, in the metric sum h^2/variance, of what a shift of all h leaves free.

    Parameters
    ----------
    variances : array (K,)
        Of independent scores.
    shift : array (K,), optional
        What no label sees; the same for all unless given.

    Returns
    -------
    array (K, K - 1)
        With i.i.d. unit normals zeta, ``basis @ zeta`` has the scores' law up to a shift.
    """
    spread = np.sqrt(variances)
    return spread[:, None] * null_space(((1.0 if shift is None else shift) / spread)[None, :])
