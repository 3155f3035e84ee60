"""Small symmetric linear systems, one a sample, solved for all samples at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def solve_symmetric(matrices: Array, right: Array) -> tuple[Array, Array]:
    """Solve A x = b by elimination without pivoting, vectorised over the last axis.

    Much faster than one LAPACK call a sample, since the sizes are 5 to 35 and the samples many.

    Parameters
    ----------
    matrices : array (D, D, N)
        Symmetric; overwritten.
    right : array (D, K, N)
        K right-hand sides a sample.

    Returns
    -------
    x : array (D, K, N)
    smallest : array (N,)
        Smallest pivot; the matrix is positive definite where it is positive, and only there is x
        to be trusted.
    """
    size = matrices.shape[0]
    x = right.copy()
    smallest = matrices[0, 0].copy()
    for j in range(size):
        pivot = matrices[j, j]
        np.minimum(smallest, pivot, out=smallest)
        # A pivot that is not positive marks the sample, whose elimination stops lest it overflow.
        usable = pivot > 0
        safe = np.where(usable, pivot, pivot.dtype.type(1))
        factors = usable * (matrices[j + 1 :, j] / safe)
        matrices[j + 1 :, j + 1 :] -= factors[:, None] * matrices[None, j, j + 1 :]
        x[j + 1 :] -= factors[:, None] * x[None, j]
        x[j] /= safe
        matrices[j, j + 1 :] /= safe
    for j in range(size - 2, -1, -1):
        x[j] -= np.einsum("in,ikn->kn", matrices[j, j + 1 :], x[j + 1 :])
    return x, smallest
