"""What is measured of tokens, each number with a standard error."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from attlas.model.files import write_whole
from attlas.model.result_key import Key, key_fields
from attlas.model.tokens import Tokens
from attlas.solver.result import Answer

Array = NDArray[np.floating]

_PAGE = "docs/tokens.md"


@dataclass(frozen=True)
class TokenStatistics:
    """The numbers; the same class holds their standard errors."""

    eigenvalues: Annotated[
        Array,
        Key("eigenvalues of the covariance, ascending, of mean 1", "list; greater than 0", _PAGE),
    ]
    second_moment: Annotated[
        float, Key("mean square of the covariance's eigenvalues, unbiased", "1 or more", _PAGE)
    ]
    norm_kurtosis: Annotated[
        float,
        Key(
            "k: Var(||z||^2)/d - 2 of the whitened tokens before each is normalised",
            "-2 or more",
            _PAGE,
        ),
    ]
    axis_kurtosis: Annotated[
        float, Key("excess kurtosis along a coordinate axis, mean over the axes", "number", _PAGE)
    ]
    largest_axis_kurtosis: Annotated[
        float, Key("excess kurtosis along the axis where it is largest", "number", _PAGE)
    ]
    projection_distance: Annotated[
        float,
        Key(
            "Kolmogorov's distance of a random projection of the whitened tokens from N(0, 1), "
            "mean over projections",
            "0 to 1",
            _PAGE,
        ),
    ]
    neighbour_correlation: Annotated[
        float, Key("x_i . x_(i+1)/d of neighbouring rows, on average", "-1 to 1", _PAGE)
    ]

    def present(self) -> dict[str, Any]:
        """Keys and values, as plain data."""
        values = {one.name: getattr(self, one.name) for one in key_fields(type(self))}
        return {name: np.asarray(value).tolist() for name, value in values.items()}


@dataclass(frozen=True)
class MeasuredTokens(Answer):
    """Tokens measured, and the part of a problem that they are.

    Attributes
    ----------
    n, d : int
        Tokens and dimensions.
    statistics, error : TokenStatistics
        Values, and their standard errors by a jackknife over groups of tokens.
    gaussian_distance : float
        What ``projection_distance`` is for n Gaussian tokens.
    sampling_spread : float
        d/n, the variance that a finite sample adds to the eigenvalues; it is corrected in their
        mean square, not one by one.
    tokens : Tokens
        For ``Problem(tokens=...)``.
    """

    n: Annotated[int, Key("tokens that were measured", "whole, 1 or more", _PAGE)]
    d: Annotated[int, Key()]
    statistics: TokenStatistics
    error: TokenStatistics
    gaussian_distance: Annotated[
        float, Key("projection_distance of n Gaussian tokens", "0 to 1", _PAGE)
    ]
    sampling_spread: Annotated[
        float,
        Key("d/n: the variance that a finite sample adds to the eigenvalues", "0 to 1", _PAGE),
    ]
    tokens: Tokens = field(repr=False)

    def present(self) -> dict[str, Any]:
        """Result keys and values."""
        own = {one.name: getattr(self, one.name) for one in key_fields(type(self))}
        return {**own, **self.statistics.present()}

    def to_dict(self) -> dict[str, Any]:
        """Result keys and values, and the standard error of ``KEY`` by ``error_KEY``."""
        bars = {f"error_{key}": value for key, value in self.error.present().items()}
        return {**self.present(), **bars}

    @property
    def sentence(self) -> str:
        """What the theory can say of heads trained on them."""
        if self.tokens.normalised:
            return (
                "Normalised: the theory of tokens of this covariance and of fixed length is theirs."
            )
        k, bar = self.statistics.norm_kurtosis, self.error.norm_kurtosis
        if abs(k) <= max(0.5, 3 * bar):
            return "Their length varies as that of Gaussian tokens of this covariance."
        return (
            f"Their length varies more or less than that of Gaussian tokens (k = {k:.3g} +- "
            f"{bar:.1g}): outside the theory where k grows with d; normalise them."
        )

    def flags(self, path: str | Path) -> str:
        """The flags of ``attlas solve`` for them, with their eigenvalues in a file."""
        return f"--tokens-law {self.tokens.law.grammar()} --token-covariance file:{path}"

    def write(self, path: str | Path) -> None:
        """Write the eigenvalues that ``--token-covariance file:PATH`` reads.

        Raises
        ------
        WriteFailed
        """
        lines = [f"# covariance of {self.n} tokens; {self.flags(path)}"]
        lines += [f"{value:.17g}" for value in self.statistics.eigenvalues]
        write_whole(Path(path), "\n".join(lines) + "\n")
