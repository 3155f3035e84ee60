"""Covariances of the tokens' coordinates, known by their eigenvalues, scaled to mean 1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, gcd, lcm, log
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from attlas.model.errors import BadInput
from attlas.model.exact import Number, decimal_text, exact, non_negative, several, whole
from attlas.model.number_files import spectrum_of_file
from attlas.model.registry import Named, Registry

#: Least and largest eigenvalue in units of their mean: the theory divides by each.
NARROWEST, WIDEST = 1e-9, 1e9
#: Nodes on the spectrum of an autoregressive process: its integrals converge as rho**(2 nodes),
#: and those of a resolvent above the spectrum more slowly.
_FEWEST_NODES, _DIGITS, _MOST_NODES = 96, 16, 20_000


class Covariance(Named):
    """C, the covariance of a token's d coordinates, of mean eigenvalue 1.

    A subclass is a frozen dataclass with a ``name`` and :meth:`atoms`. The teacher's eigenvectors
    know nothing of those of C, so that its eigenvalues are all that counts (theory.md section 17).

    Attributes
    ----------
    by_value : bool
        Whether stored runs know it by its eigenvalues, which its text may not say.
    """

    parameter: ClassVar[str] = "token_covariance"
    by_value: ClassVar[bool] = False

    @abstractmethod
    def atoms(self) -> tuple[np.ndarray, np.ndarray]:
        """The spectral law: values in increasing order, and their weights, which sum to 1.

        The weighted mean is 1. A continuous law is given by nodes that integrate functions
        analytic about its support to double precision.
        """

    def eigenvalues(self, d: int) -> np.ndarray:
        """d eigenvalues in increasing order, of mean 1: quantiles of the law."""
        values, weights = self.atoms()
        levels = (np.arange(d) + 0.5) / d
        index = np.searchsorted(np.cumsum(weights), levels - 1e-12)
        drawn = values[np.minimum(index, len(values) - 1)]
        return drawn / drawn.mean()

    @classmethod
    def readers(cls) -> dict[str, Callable[[str], Covariance]]:
        """What reads the rest of ``--token-covariance``, by the name before the colon."""
        return {cls.name: cls.from_grammar}


#: Reader of each ``--token-covariance``, by the name that stands before the colon.
COVARIANCES: Registry[Callable[[str], Covariance]] = Registry(
    "token_covariance", "covariance", base=Covariance
)


@COVARIANCES.register
@dataclass(frozen=True, init=False)
class Eigenvalues(Covariance):
    """Eigenvalues of equal weight, as given or from a file.

    Parameters
    ----------
    given : sequence of number > 0
        Scaled to mean 1.
    path : str, optional
        The file they were read from, for messages and for the grammar.
    """

    given: tuple[Fraction, ...]
    path: str | None = field(compare=False)

    name: ClassVar[str] = "atoms"
    file_name: ClassVar[str] = "file"
    by_value: ClassVar[bool] = True

    def __init__(self, given: Iterable[Number], path: str | None = None) -> None:
        shown = f"token_covariance file:{path}" if path else "token_covariance"
        values = sorted(exact(shown, one) for one in several(shown, given))
        if not values:
            raise BadInput(shown, None, "one or more eigenvalues greater than 0 are required")
        mean = sum(values, Fraction(0)) / len(values)
        if not mean * Fraction(NARROWEST) <= values[0]:
            raise BadInput(
                shown,
                float(values[0]),
                f"every eigenvalue must be greater than {NARROWEST:g} times their mean",
                "the tokens have no component there: project them on the others",
            )
        object.__setattr__(self, "given", tuple(one / mean for one in values))
        object.__setattr__(self, "path", path)

    def atoms(self) -> tuple[np.ndarray, np.ndarray]:
        values, counts = np.unique([float(one) for one in self.given], return_counts=True)
        return values, counts / counts.sum()

    def grammar(self) -> str:
        if self.path:
            return f"{self.file_name}:{self.path}"
        return f"{self.name}:{'/'.join(_texts(self.given))}"

    @classmethod
    def from_grammar(cls, text: str) -> Self:
        """Read ``0.25/1.75``."""
        return cls([piece or None for piece in text.split("/")])  # type: ignore[misc]

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read eigenvalues, or C itself, from ``.npy`` or text.

        Raises
        ------
        BadInput
            If the file cannot be read, or holds neither a list of positive numbers nor a
            symmetric positive definite matrix.
        """
        if not str(path):
            raise BadInput("token_covariance file:", None, "the path of a readable file is needed")
        eigenvalues, _ = spectrum_of_file(Path(path), cls.parameter, "the covariance")
        return cls(eigenvalues, str(path))

    @classmethod
    def readers(cls) -> dict[str, Callable[[str], Covariance]]:
        return {cls.name: cls.from_grammar, cls.file_name: cls.from_file}


def _texts(values: tuple[Fraction, ...]) -> list[str]:
    """Values as slashes separate them, exactly: decimals, or whole numbers in proportion."""
    texts = [decimal_text(value) for value in values]
    if not any("/" in text for text in texts):
        return texts
    common = lcm(*(value.denominator for value in values))
    factor = gcd(*(int(value * common) for value in values))
    return [str(int(value * common) // factor) for value in values]


@COVARIANCES.register
@dataclass(frozen=True, init=False)
class Autoregressive(Covariance):
    """C_ij = rho**|i - j|: c(theta) = (1 - rho^2)/(1 - 2 rho cos theta + rho^2).

    Parameters
    ----------
    rho : number, at least 0 and below 1
    """

    rho: Fraction

    name: ClassVar[str] = "ar1"

    def __init__(self, rho: Number) -> None:
        number = non_negative("rho", rho)
        if number > Fraction(99, 100):
            raise BadInput("rho", rho, "must be at most 0.99")
        object.__setattr__(self, "rho", number)

    def atoms(self) -> tuple[np.ndarray, np.ndarray]:
        rho = float(self.rho)
        nodes = _FEWEST_NODES
        if rho > 0:
            nodes = min(max(nodes, ceil(_DIGITS * log(10) / -log(rho))), _MOST_NODES)
        values = self._at(nodes)
        return values, np.full(nodes, 1 / nodes)

    def eigenvalues(self, d: int) -> np.ndarray:
        values = self._at(d)
        return values / values.mean()

    def _at(self, nodes: int) -> np.ndarray:
        rho = float(self.rho)
        angles = np.pi * (np.arange(nodes)[::-1] + 0.5) / nodes
        return (1 - rho**2) / (1 - 2 * rho * np.cos(angles) + rho**2)


@COVARIANCES.register
@dataclass(frozen=True, init=False)
class PowerLawCovariance(Covariance):
    """c_i proportional to i**-a, i = 1..d.

    Parameters
    ----------
    a : number >= 0
    d : int >= 1
        Number of eigenvalues.
    """

    a: Fraction
    d: int

    name: ClassVar[str] = "power-law"

    def __init__(self, a: Number, d: Number) -> None:
        object.__setattr__(self, "a", non_negative("a", a))
        object.__setattr__(self, "d", whole("d", d, at_least=1))
        if self.d ** float(self.a) > WIDEST:
            raise BadInput("a", a, f"must be such that d**a is at most {WIDEST:g}")

    def atoms(self) -> tuple[np.ndarray, np.ndarray]:
        values = np.arange(self.d, 0, -1.0) ** -float(self.a)
        return values / values.mean(), np.full(self.d, 1 / self.d)
