"""The power-law target at finite dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from attlas.model.errors import BadInput
from attlas.model.exact import Number, exact, positive, whole
from attlas.model.targets.grammar import TARGETS
from attlas.model.targets.target import Target


@TARGETS.register
@dataclass(frozen=True, init=False)
class PowerLaw(Target):
    """Eigenvalues s_i = sqrt(d) i^-gamma, i = 1..d, with Haar-distributed eigenvectors.

    Parameters
    ----------
    gamma : number > 1/2
        Decay exponent. At 1/2 and below Q0 = sum i^(-2 gamma) grows without bound with d.
    d : int >= 2
        Token dimension.
    q0 : number > 0, optional
        Rescale the eigenvalues so that Tr S0^2/d has this value.

    Notes
    -----
    theory.md section 14. The largest eigenvalue does not vanish beside the Frobenius norm, so
    scores are not Gaussian even as d grows: state evolution is a conjecture here.
    """

    gamma: Fraction
    d: int
    q0: Fraction | None

    name: ClassVar[str] = "power-law"

    def __init__(self, gamma: Number, d: Number, q0: Number | None = None) -> None:
        exponent = exact("gamma", gamma)
        if exponent <= Fraction(1, 2):
            raise BadInput(
                "gamma",
                gamma,
                "must be greater than 1/2",
                "at 1/2 and below the target's second moment diverges with d",
            )
        object.__setattr__(self, "gamma", exponent)
        object.__setattr__(self, "d", whole("d", d, at_least=2))
        moment = None if q0 is None else positive("q0", q0)
        object.__setattr__(self, "q0", moment)

    @property
    def dimension(self) -> int:
        return self.d

    @property
    def power_law_exponent(self) -> Fraction:
        return self.gamma

    @cached_property
    def eigenvalues(self) -> tuple[float, ...]:
        """The d eigenvalues, descending."""
        powers = [index ** -float(self.gamma) for index in range(1, self.d + 1)]
        if self.q0 is None:
            scale = math.sqrt(self.d)
        else:
            scale = math.sqrt(float(self.q0) * self.d / math.fsum(p * p for p in powers))
        return tuple(scale * power for power in powers)
