"""Eigenvectors of a trained map beside those of its teacher."""

from __future__ import annotations

import numpy as np

from attlas.verify.data.teacher import Teacher
from attlas.verify.training.task import Trained


def squared_overlaps(trained: Trained, teacher: Teacher) -> np.ndarray:
    """Squared overlaps of the teacher's eigenvectors with the learned ones, shape (d, d).

    Rows follow the teacher's eigenvalues, columns the learned ones, both descending; rows and
    columns sum to 1. Learned eigenvectors are left singular vectors of W in float64 where there is
    a factor, so that those of the null space are complete and the rank is that of W.
    """
    if trained.w is not None:
        vectors = np.linalg.svd(np.asarray(trained.w, dtype=float), full_matrices=True)[0]
    else:
        vectors = np.linalg.eigh(trained.s)[1][:, ::-1]
    return (teacher.eigenvectors.T @ vectors) ** 2
