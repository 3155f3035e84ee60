"""The target of an untied head: a teacher of the student's own form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model.errors import BadInput
from attlas.model.exact import Number, positive
from attlas.model.targets.grammar import TARGETS
from attlas.model.targets.target import Target


@TARGETS.register
@dataclass(frozen=True, init=False)
class Product(Target):
    """S0 = W_Q0 W_K0^T/sqrt(p0 d), both factors d x p0 standard Gaussian matrices, p0 = kappa0 d.

    Parameters
    ----------
    kappa0 : number > 0
        Rank ratio p0/d of the teacher. Below 1 a share 1 - kappa0 of its singular values is 0.

    Notes
    -----
    theory.md section 19. Q0 = ||S0||_F^2/d = 1 for every kappa0.
    """

    kappa0: Fraction

    name: ClassVar[str] = "product"
    singular: ClassVar[bool] = True

    def __init__(self, kappa0: Number | None) -> None:
        if kappa0 is None:
            raise BadInput("kappa0", None, "the teacher's rank ratio, greater than 0, is required")
        object.__setattr__(self, "kappa0", positive("kappa0", kappa0))

    @property
    def factor_ratio(self) -> Fraction:
        return self.kappa0

    def r_transform(self, g: Any) -> Any:
        """g/(1 - g^2/kappa0), of the singular values with both signs."""
        return g / (1 - g**2 / ((g - g) + self.kappa0))

    def factor_width(self, d: int) -> int:
        width = round(self.kappa0 * d)
        if width < 1:
            least = int(1 / self.kappa0)
            raise BadInput("d", d, f"must be {least} or more so that kappa0 d rounds to 1")
        return width
