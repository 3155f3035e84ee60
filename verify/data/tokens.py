"""Laws of the tokens: the Gaussian of the theory, and others that test its universality."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attlas.model.errors import unknown_name

#: Correlation of neighbouring coordinates under the law ``correlated``.
NEIGHBOUR_CORRELATION = 0.5

TokenLaw = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


def gaussian(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Independent N(0, 1) entries: the law of theory.md section 1."""
    return rng.standard_normal(shape)


def rademacher(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Independent entries +1 or -1."""
    return 2.0 * rng.integers(0, 2, size=shape).astype(float) - 1.0


def sphere(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Tokens uniform on the sphere of radius sqrt(d)."""
    x = rng.standard_normal(shape)
    return x * np.sqrt(shape[2] / np.sum(x * x, axis=2, keepdims=True))


def student_t5(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Independent Student entries of 5 degrees of freedom, scaled to variance 1."""
    return rng.standard_t(5, size=shape) * np.sqrt(3.0 / 5.0)


def three_point(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Independent entries 0 (probability 2/3) and +-sqrt(3): five moments are those of N(0, 1).

    The fourth moment matters: the score of a token with itself has variance
    (2 Tr S^2 + (E x^4 - 3) sum_i S_ii^2)/d, and S_ii does not vanish where Tr S/d does not.
    """
    return np.sqrt(3.0) * rng.choice([-1.0, 0.0, 0.0, 0.0, 0.0, 1.0], size=shape)


def correlated(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Gaussian tokens whose coordinates i, j have covariance ``NEIGHBOUR_CORRELATION**|i-j|``.

    Every coordinate has variance 1, but E x x^T is not the identity: this law lies outside the
    universality class of the theory and is a control.
    """
    from scipy.signal import lfilter  # half a second of imports that one law needs

    white = rng.standard_normal(shape)
    white[..., 1:] *= np.sqrt(1.0 - NEIGHBOUR_CORRELATION**2)
    return np.asarray(lfilter([1.0], [1.0, -NEIGHBOUR_CORRELATION], white, axis=2))


TOKEN_LAWS: dict[str, TokenLaw] = {
    "gaussian": gaussian,
    "rademacher": rademacher,
    "sphere": sphere,
    "student-t5": student_t5,
    "three-point": three_point,
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
