"""Which eigenvalues of a trained map are told from zero."""

from __future__ import annotations

import numpy as np

#: An eigenvalue of this share of the largest, or less, is zero.
RANK_THRESHOLD = 1e-6


def non_zero(eigenvalues: np.ndarray, scale: float = 0.0) -> np.ndarray:
    """Whether each eigenvalue is told from zero, of whatever sign.

    Parameters
    ----------
    eigenvalues : ndarray
        Of one map.
    scale : float
        Counts as an eigenvalue for what is large: the largest of the teacher, as a collapsed map is
        zero up to the gradient tolerance only.
    """
    sizes = np.abs(eigenvalues)
    return sizes > RANK_THRESHOLD * max(float(sizes.max()), scale)
