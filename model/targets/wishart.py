"""The Wishart target: a teacher of the student's own form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from attlas.model.errors import BadInput
from attlas.model.exact import Number, positive
from attlas.model.fields import read_fields
from attlas.model.targets.grammar import TARGETS
from attlas.model.targets.target import Target


@TARGETS.register
@dataclass(frozen=True, init=False)
class Wishart(Target):
    """S0 = W0 W0^T / sqrt(p0 d) with W0 a d x p0 standard Gaussian matrix, p0 = kappa0 d.

    Parameters
    ----------
    kappa0 : number > 0
        Rank ratio p0/d of the teacher. Below 1 the target has a null space of mass 1 - kappa0.

    Notes
    -----
    theory.md section 1. Q0 = Tr S0^2/d = 1 + kappa0 and Tr S0/d = sqrt(kappa0).
    """

    kappa0: Fraction

    name: ClassVar[str] = "wishart"

    def __init__(self, kappa0: Number | None) -> None:
        if kappa0 is None:
            raise BadInput("kappa0", None, "the teacher's rank ratio, greater than 0, is required")
        object.__setattr__(self, "kappa0", positive("kappa0", kappa0))

    @property
    def wishart_ratio(self) -> Fraction:
        return self.kappa0

    def r_transform(self, g: Any) -> Any:
        """s/(1 - g/s) with s = sqrt(kappa0), taken in the arithmetic of g."""
        ratio = (g - g) + self.kappa0
        return ratio / (ratio ** Fraction(1, 2) - g)

    def factor_width(self, d: int) -> int:
        width = round(self.kappa0 * d)
        if width < 1:
            least = int(1 / self.kappa0)
            raise BadInput("d", d, f"must be {least} or more so that kappa0 d rounds to 1")
        return width

    @classmethod
    def from_grammar(cls, text: str) -> Self:
        """Read ``kappa0=0.5``."""
        given = read_fields(cls.name, text, known=("kappa0",))
        return cls(given.get("kappa0"))
