"""Starting points of the factor W."""

from __future__ import annotations

import numpy as np

from model.errors import unknown_name
from verify.randomness import generator

#: Standard deviation of the independent Gaussian entries. ``large`` is the scale of the
#: teacher's own factor; ``small`` approaches the start of a gradient flow from the origin.
SCALES: dict[str, float] = {"large": 1.0, "small": 1e-2}


def initial_factor(name: str, d: int, p: int, seed: int) -> np.ndarray:
    """W of shape (d, p) with independent N(0, scale^2) entries, fixed by the seed.

    Raises
    ------
    BadInput
        Naming the nearest valid name.
    """
    if name not in SCALES:
        raise unknown_name("--initialisation", name, SCALES)
    return SCALES[name] * generator(seed, "initialisation").standard_normal((d, p))
