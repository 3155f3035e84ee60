"""A list of numbers as the singular values of a map that is not symmetric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.random import Generator

from attlas.model.errors import BadInput
from attlas.model.targets.target import Target


@dataclass(frozen=True)
class SingularValues(Target):
    """A teacher U diag(s) V^T with Haar-distributed U and V, s the list of another target.

    A problem with an untied estimator makes one of a target that is given by its eigenvalues.

    Parameters
    ----------
    given : Target

    Notes
    -----
    theory.md section 19: of queries and keys from different tokens, only singular values are felt.
    """

    given: Target

    name: ClassVar[str] = "singular"
    singular: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.given.eigenvalues is None:
            raise BadInput(
                "target",
                self.given.grammar(),
                "must be product, or given by its singular values, for untied queries and keys",
                "such as product:kappa0=0.5, atoms:2/1.5/1 or file:PATH",
            )

    @property
    def values(self) -> Sequence[float]:
        """The d singular values."""
        assert self.given.eigenvalues is not None
        return self.given.eigenvalues

    @property
    def by_value(self) -> bool:  # type: ignore[override]
        return self.given.by_value

    @property
    def dimension(self) -> int:
        return len(self.values)

    def grammar(self) -> str:
        return self.given.grammar()

    def draw(self, d: int, rng: Generator) -> Any:  # noqa: ARG002
        return self.values
