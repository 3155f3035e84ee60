"""A target given by its eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from attlas.model.errors import BadInput
from attlas.model.exact import is_decimal
from attlas.model.number_files import spectrum_of_file
from attlas.model.targets.grammar import TARGETS
from attlas.model.targets.target import Target

#: Eigenvalues beyond this would overflow in the fourth moments.
LARGEST = 1e76
#: Where all eigenvalues are below this their fourth moments vanish.
SMALLEST = 1e-76


@TARGETS.register
@dataclass(frozen=True, init=False)
class Atoms(Target):
    """A teacher with d given eigenvalues and Haar-distributed eigenvectors.

    Parameters
    ----------
    eigenvalues : sequence of float
        The d eigenvalues of S0, finite and not negative, not all zero. Scaled so that
        Tr S0^2/d is of order one. They are kept in double precision, largest first. A list with
        values below 0 by no more than rounding, d eps times the largest, has its zeros restored:
        what is smaller than that, of either sign, becomes 0.
    path : str, optional
        The file they were read from, for messages and for the ``--target`` grammar.
    eigenvectors : ndarray (d, d), optional
        Those of a given S0, column i for eigenvalue i, largest first; simulations use them in
        place of Haar-distributed ones. No law depends on them: tokens are isotropic.

    Notes
    -----
    theory.md section 5 (subordination); the law is the empirical one, so d is their number.
    """

    eigenvalues: tuple[float, ...]
    path: str | None = field(compare=False)
    eigenvectors: np.ndarray | None = field(compare=False, repr=False)

    name: ClassVar[str] = "file"
    inline_name: ClassVar[str] = "atoms"
    by_value: ClassVar[bool] = True

    def __init__(
        self,
        eigenvalues: Iterable[float],
        path: str | None = None,
        eigenvectors: np.ndarray | None = None,
    ) -> None:
        shown = f"target file:{path}" if path else "eigenvalues"
        object.__setattr__(self, "eigenvalues", _validated(shown, eigenvalues))
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "eigenvectors", eigenvectors)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read eigenvalues, or the matrix S0 itself, from ``.npy`` or text.

        Raises
        ------
        BadInput
            If the file cannot be read, or holds neither a list of finite non-negative numbers
            nor a symmetric positive semi-definite matrix.
        """
        eigenvalues, eigenvectors = spectrum_of_file(Path(path))
        return cls(eigenvalues, path=str(path), eigenvectors=eigenvectors)

    def draw(self, d: int, rng: Generator) -> Any:
        if self.eigenvectors is None:
            return super().draw(d, rng)
        return (self.eigenvectors * self.eigenvalues) @ self.eigenvectors.T

    def grammar(self) -> str:
        if self.path:
            return f"{self.name}:{self.path}"
        return f"{self.inline_name}:{'/'.join(map(repr, self.eigenvalues))}"

    @classmethod
    def from_grammar(cls, text: str) -> Self:
        """Read the path in ``file:PATH``."""
        if not text:
            raise BadInput("target file:", None, "the path of a readable file is required")
        return cls.from_file(text)

    @classmethod
    def readers(cls) -> dict[str, Callable[[str], Target]]:
        return {cls.name: cls.from_grammar, cls.inline_name: cls.from_inline}

    @classmethod
    def from_inline(cls, text: str) -> Self:
        """Read the eigenvalues in ``atoms:2/1.5/1``."""
        shown = f"target {cls.inline_name}:"
        return cls([_number(piece, shown, text) for piece in text.split("/")])


def _validated(shown: str, values: Iterable[float]) -> tuple[float, ...]:
    try:
        listed = np.asarray(tuple(values))
        if np.iscomplexobj(listed):
            raise TypeError
        array = listed.astype(float)
    except (TypeError, ValueError):
        raise BadInput(shown, "a non-numeric entry", "must hold numbers only") from None
    if array.ndim != 1 or array.size == 0:
        raise BadInput(shown, f"shape {array.shape}", "must be one list of at least 1 eigenvalue")
    out_of_range = array[~(np.abs(array) < LARGEST)]
    if out_of_range.size:
        raise BadInput(
            shown, float(out_of_range[0]), "every eigenvalue must be a number below 1e76"
        )
    if np.any(array < 0):
        array = _without_rounding(array)
    if np.any(array < 0):
        raise BadInput(
            shown,
            float(array.min()),
            "every eigenvalue must be 0 or greater",
            "the theory is of S0 = W0 W0^T/sqrt(p0 d), which has no negative direction",
        )
    if not np.any(array > SMALLEST):
        largest = float(array.max())
        raise BadInput(shown, largest, f"at least one eigenvalue must be greater than {SMALLEST:g}")
    return tuple(float(value) for value in np.sort(array)[::-1])


def _without_rounding(array: np.ndarray) -> np.ndarray:
    """The zeros of a map of low rank, which an eigenvalue routine returns as +-1e-16."""
    rounding = array.size * np.finfo(float).eps * float(array.max())
    return np.where(np.abs(array) <= rounding, 0.0, array)


def _number(token: str, shown: str, value: str, advice: str = "") -> float:
    if not is_decimal(token):
        raise BadInput(shown, value, "must hold numbers only", advice)
    return float(token)
