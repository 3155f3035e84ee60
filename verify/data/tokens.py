"""Laws of the tokens: the Gaussian of the theory, and others that test its universality."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attlas.model import Tokens
from attlas.model.errors import unknown_name

#: Correlation of neighbouring coordinates under the law ``correlated``.
NEIGHBOUR_CORRELATION = 0.5

TokenLaw = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


def correlated(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Gaussian tokens whose coordinates i, j have covariance ``NEIGHBOUR_CORRELATION**|i-j|``.

    Every coordinate has variance 1, but E x x^T is not the identity: this law lies outside the
    universality class of the theory and is a control.
    """
    from scipy.signal import lfilter  # half a second of imports that one law needs

    white = rng.standard_normal(shape)
    white[..., 1:] *= np.sqrt(1.0 - NEIGHBOUR_CORRELATION**2)
    return np.asarray(lfilter([1.0], [1.0, -NEIGHBOUR_CORRELATION], white, axis=2))


#: Names of laws beside the theory of independent Gaussian tokens; `correlated` is centred as they.
TOKEN_LAWS: dict[str, TokenLaw] = {
    "gaussian": Tokens().draw,
    "rademacher": Tokens("rademacher").draw,
    "sphere": Tokens("sphere").draw,
    "student-t5": Tokens("student:nu=5").draw,
    "three-point": Tokens("three-point").draw,
    "correlated": correlated,
}


def token_law(name: str) -> TokenLaw:
    """The law of that name.

    Raises
    ------
    BadInput
        Naming the nearest valid name.
    """
    if name not in TOKEN_LAWS:
        raise unknown_name("tokens_law", name, TOKEN_LAWS)
    return TOKEN_LAWS[name]
