"""The correlation of positions, a T x T matrix; an autoregressive one is known for any T."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model.errors import BadInput
from attlas.model.exact import Number, decimal_text, exact, several
from attlas.model.registry import Named, Registry

#: A T x T matrix with ones on its diagonal.
Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, init=False)
class Neighbours(Named):
    """Positions a, b of correlation rho**|a - b|.

    Parameters
    ----------
    rho : number between -1 and 1
    """

    rho: Fraction

    name: ClassVar[str] = "ar1"
    parameter: ClassVar[str] = "token_positions"

    def __init__(self, rho: Number) -> None:
        number = exact("rho", rho)
        if not -1 < number < 1:
            raise BadInput("rho", rho, "must lie between -1 and 1")
        object.__setattr__(self, "rho", number)

    def matrix(self, tokens: int) -> Matrix:
        """The matrix of a sequence of T tokens."""
        return tuple(tuple(self.rho ** abs(a - b) for b in range(tokens)) for a in range(tokens))


@dataclass(frozen=True, init=False)
class Rows(Named):
    """The T x T matrix itself.

    Parameters
    ----------
    rows : sequence of sequence of number
        Symmetric and positive definite, with ones on the diagonal.
    """

    rows: Matrix

    name: ClassVar[str] = "rows"
    parameter: ClassVar[str] = "token_positions"

    def __init__(self, rows: Iterable[Iterable[Number]]) -> None:
        shown = self.parameter
        lists = [several(shown, row) for row in several(shown, rows)]
        matrix = tuple(tuple(exact(shown, entry) for entry in row) for row in lists)
        _require_correlation(shown, matrix)
        object.__setattr__(self, "rows", matrix)

    def matrix(self, tokens: int) -> Matrix:
        """The matrix, for sequences of its own length.

        Raises
        ------
        BadInput
        """
        if len(self.rows) != tokens:
            size = len(self.rows)
            raise BadInput(
                self.parameter,
                f"{size} x {size} matrix",
                f"must be {tokens} x {tokens}, one row for each of the `tokens`",
            )
        return self.rows

    def grammar(self) -> str:
        return f"{self.name}:{':'.join(','.join(map(decimal_text, row)) for row in self.rows)}"

    @classmethod
    def from_grammar(cls, text: str) -> Rows:
        """Read ``1,0.3:0.3,1``."""
        return cls([row.split(",") for row in text.split(":")])


Positions = Neighbours | Rows

#: What ``--token-positions`` names.
POSITIONS: Registry[type[Positions]] = Registry(
    "token_positions", "form", {"ar1": Neighbours, "rows": Rows}
)


def _require_correlation(shown: str, matrix: Matrix) -> None:
    size = len(matrix)
    valid = "must be a square matrix, symmetric and positive definite, with ones on its diagonal"

    def refused(why: str) -> BadInput:
        return BadInput(shown, f"{size} rows", valid, why)

    if not size or any(len(row) != size for row in matrix):
        raise refused("its rows are not as long as there are rows")
    if any(matrix[a][b] != matrix[b][a] for a in range(size) for b in range(a)):
        raise refused("it is not symmetric")
    if any(matrix[a][a] != 1 for a in range(size)):
        raise refused("its diagonal is not 1")
    if not _positive_definite(matrix):
        raise refused("it is not positive definite")


def _positive_definite(matrix: Matrix) -> bool:
    """Exactly, by elimination: every pivot is positive."""
    rows: list[list[Any]] = [list(row) for row in matrix]
    for k, pivot in enumerate(rows):
        if pivot[k] <= 0:
            return False
        for row in rows[k + 1 :]:
            factor = row[k] / pivot[k]
            row[k:] = [one - factor * other for one, other in zip(row[k:], pivot[k:], strict=True)]
    return True
