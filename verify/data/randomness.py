"""Explicit random streams: a seed and a purpose fix every number drawn."""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np

from attlas.model.errors import BadInput, unknown_name

#: What a stream is used for. Streams of one seed are independent of each other, so that the
#: noise level, the number of samples or the algorithm never changes another draw.
Purpose = Literal[
    "teacher",
    "train-tokens",
    "train-noise",
    "test-tokens",
    "test-noise",
    "initialisation",
    "predicted-law",
    "train-labels",
    "test-labels",
]

_CODES: dict[str, int] = {
    "teacher": 1,
    "train-tokens": 2,
    "train-noise": 3,
    "test-tokens": 4,
    "test-noise": 5,
    "initialisation": 6,
    "predicted-law": 7,
    "train-labels": 8,
    "test-labels": 9,
}


def generator(seed: int, purpose: str, part: int = 0) -> np.random.Generator:
    """The stream of one seed, purpose and part.

    Parameters
    ----------
    seed : int >= 0
    purpose : str
        One of :data:`Purpose`.
    part : int >= 0
        Number of a block of a long stream (blocks of the test set).

    Raises
    ------
    BadInput
        If the seed is not a whole number of 0 or more, or the purpose is unknown.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BadInput("seeds", seed, "every seed must be a whole number, 0 or greater")
    if purpose not in _CODES:
        raise unknown_name("purpose", purpose, _CODES)
    return np.random.default_rng(np.random.SeedSequence((int(seed), _CODES[purpose], part)))


def digest(*arrays: np.ndarray | str) -> str:
    """SHA-256 over shapes and bytes (little-endian float64), in hexadecimal.

    Only generator output is hashed: results of matrix products depend, in the last bit, on the
    number of threads.
    """
    state = hashlib.sha256()
    for array in arrays:
        if isinstance(array, str):
            state.update(array.encode("ascii"))
            continue
        state.update(repr(array.shape).encode("ascii"))
        state.update(np.ascontiguousarray(array, dtype="<f8").data)
    return state.hexdigest()
