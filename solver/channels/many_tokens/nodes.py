"""Randomised integration nodes for the scores of a label and of its field."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

Array = NDArray[np.float64]

#: Independent randomisations of the nodes; their spread is the integration error.
REPLICATES = 16
#: One fixed seed for all nodes.
_SEED = 20260101


@dataclass(frozen=True)
class Nodes:
    """Equally weighted points (a, b) that stand for independent standard normals.

    Attributes
    ----------
    label, field : array (D, N)
    """

    label: Array
    field: Array


@lru_cache(maxsize=2 * REPLICATES)
def paired_nodes(dimension: int, log2_points: int, replicate: int) -> Nodes:
    """Sobol nodes in pairs (a, b), (a, -b), in 2 D dimensions.

    The nodes are the same at every call, so that a fixed-point iteration sees one smooth map.

    Parameters
    ----------
    dimension : int
        D.
    log2_points : int
        Binary logarithm of the number N/2 of pairs.
    replicate : int in [0, REPLICATES)
    """
    normal = _normal_points(2 * dimension, log2_points, replicate)
    label, field = normal[:dimension], normal[dimension:]
    return Nodes(np.concatenate([label, label], axis=1), np.concatenate([field, -field], axis=1))


@lru_cache(maxsize=2 * REPLICATES)
def normal_points(dimension: int, log2_points: int, replicate: int) -> Array:
    """Scrambled Sobol points mapped to independent standard normals, shape (dimension, N)."""
    return _normal_points(dimension, log2_points, replicate)


def _normal_points(dimension: int, log2_points: int, replicate: int) -> Array:
    rng = np.random.default_rng([_SEED, dimension, replicate])
    points = qmc.Sobol(dimension, scramble=True, rng=rng).random_base2(log2_points)
    # The points have 30 bits: keep them off the faces, where normals are infinite.
    face = 0.5**31
    return ndtri(np.clip(np.ascontiguousarray(points.T), face, 1 - face))
