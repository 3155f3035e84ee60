"""Starting points of the factor W."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attlas.model.errors import unknown_name
from attlas.verify.data.randomness import generator

#: Standard deviation of the independent Gaussian entries of the plain starts.
_SCALES = {"large": 1.0, "small": 1e-2}
#: The wrong start: directions (as a fraction of the width), their strength beside a large start,
#: and the size of all others.
_WRONG_FRACTION, _WRONG_STRENGTH, _WRONG_REST = 0.2, 2.0, 1e-4


def _plain(name: str, rng: np.random.Generator, d: int, p: int) -> np.ndarray:
    return _SCALES[name] * rng.standard_normal((d, p))


def _wrong(name: str, rng: np.random.Generator, d: int, p: int) -> np.ndarray:  # noqa: ARG001
    live = max(1, round(_WRONG_FRACTION * p))
    w = _WRONG_REST * rng.standard_normal((d, p))
    w[:, :live] = _WRONG_STRENGTH * rng.standard_normal((d, live))
    return w


#: ``large`` is the scale of the teacher's own factor; ``small`` approaches the start of a gradient
#: flow from the origin; ``low-rank`` starts at a strong map of too low a rank that has nothing to
#: do with the teacher.
INITIALISATIONS: dict[str, Callable[[str, np.random.Generator, int, int], np.ndarray]] = {
    "large": _plain,
    "small": _plain,
    "low-rank": _wrong,
}


def initial_factor(name: str, d: int, p: int, seed: int) -> np.ndarray:
    """W of shape (d, p), fixed by the seed.

    Raises
    ------
    BadInput
        Naming the nearest valid name.
    """
    if name not in INITIALISATIONS:
        raise unknown_name("initialisation", name, INITIALISATIONS)
    return INITIALISATIONS[name](name, generator(seed, "initialisation"), d, p)
