"""Tokens brought to the form that the theory is of: centred, of one length, in d dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import whole
from attlas.model.tokens.laws import of_fixed_length

NORMALISATIONS = ("rms", "layer", "none")
REDUCTIONS = ("coordinates", "principal", "random")
#: Below this share of the largest variance a direction counts as absent.
_ABSENT = 1e-10


@dataclass(frozen=True, eq=False)
class Prepared:
    """Tokens of mean squared length d.

    Attributes
    ----------
    x : ndarray (n, d)
        In the order of the file.
    raw : ndarray (n, d)
        The same before they were normalised: centred, and scaled as a whole.
    normalised : bool
        Whether each has the length sqrt(d).
    """

    x: np.ndarray
    raw: np.ndarray
    normalised: bool

    @property
    def covariance(self) -> np.ndarray:
        """Second moments of x, shape (d, d)."""
        return self.x.T @ self.x / len(self.x)


def prepare(
    array: np.ndarray,
    *,
    normalise: str = "rms",
    dimensions: Any = None,
    reduce: str = "coordinates",
    seed: int = 0,
) -> Prepared:
    """Cut tokens to some dimensions, centre and normalise them.

    Parameters
    ----------
    array : ndarray (n, d0)
        A token each row; more rows than dimensions are left.
    normalise : {"rms", "layer", "none"}
        Bring each token to the length sqrt(d); subtract its own mean over its coordinates first;
        or scale all of them by one factor.
    dimensions : int >= 2, optional
        d; by default all, less the one that ``layer`` takes.
    reduce : {"coordinates", "principal", "random"}
        The first d coordinates, the d principal components or d random directions.
    seed : int
        Of the random directions.

    Raises
    ------
    BadInput
        For fewer tokens than dimensions, NaN, constant columns, tokens of length 0.
    """
    for name, value, known in (
        ("normalise", normalise, NORMALISATIONS),
        ("reduce", reduce, REDUCTIONS),
    ):
        if value not in known:
            raise unknown_name(name, value, known)
    if not np.all(np.isfinite(array)):
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise BadInput(
            "tokens",
            float(array[row, column]),
            "every number must be finite",
            f"row {row}, column {column} is not",
        )
    full = array.shape[1]
    d = full if dimensions is None else whole("dimensions", dimensions, at_least=2, at_most=full)
    if normalise == "layer":
        array = array - array.mean(axis=1, keepdims=True)
        if d == full:  # the direction of all ones is gone: d - 1 are left
            array = array @ _beside_ones(full)
            d = full - 1
    if len(array) <= d:
        valid = f"must be more than the {d} dimensions"
        raise BadInput("tokens", f"{len(array)} rows", valid, "lower `dimensions`")
    raw = _reduced(array - array.mean(axis=0), d, reduce, seed)
    raw = raw * np.sqrt(raw.size / np.square(raw).sum()) if raw.any() else raw
    _require_full(raw, reduce)
    if normalise == "none":
        return Prepared(raw, raw, normalised=False)
    lengths = np.square(raw).sum(axis=1)
    if not lengths.min() > _ABSENT * d:
        row = int(lengths.argmin())
        raise BadInput(
            "tokens",
            f"row {row}",
            "every token must have a length greater than 0 to be normalised",
            "leave it out, or take `normalise=none`",
        )
    return Prepared(of_fixed_length(raw), raw, normalised=True)


def _reduced(x: np.ndarray, d: int, reduce: str, seed: int) -> np.ndarray:
    if reduce == "coordinates" or d == x.shape[1]:
        return x[:, :d]
    if reduce == "principal":
        _, vectors = np.linalg.eigh(x.T @ x)
        return x @ vectors[:, ::-1][:, :d]
    gaussian = np.random.default_rng(seed).standard_normal((x.shape[1], d))
    return x @ np.linalg.qr(gaussian)[0]


def _beside_ones(d: int) -> np.ndarray:
    """An orthonormal basis (d, d - 1) of what is orthogonal to all ones."""
    basis = np.linalg.qr(np.column_stack((np.ones(d), np.eye(d)[:, 1:])))[0]
    return basis[:, 1:]


def _require_full(x: np.ndarray, reduce: str) -> None:
    variances = np.square(x).mean(axis=0)
    largest = float(variances.max(initial=0.0))
    constant = np.flatnonzero(variances <= _ABSENT * largest)
    if largest == 0 or constant.size:
        raise BadInput(
            "tokens",
            f"column {constant[0]}" if constant.size and reduce == "coordinates" else reduce,
            "every dimension must vary",
            "it is constant: leave it out, or take fewer `dimensions` with `reduce=principal`",
        )
    values = np.linalg.eigvalsh(x.T @ x)
    if values[0] <= _ABSENT * values[-1]:
        rank = int(np.sum(values > _ABSENT * values[-1]))
        raise BadInput(
            "tokens",
            f"rank {rank}",
            f"must span all {x.shape[1]} dimensions",
            f"take `dimensions={rank}` or fewer with `reduce=principal`",
        )
