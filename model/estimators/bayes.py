"""The reference that knows the law of the teacher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from attlas.model.estimators.estimator import Estimator


@dataclass(frozen=True)
class BayesOptimal(Estimator):
    """The posterior mean given the data and the true law of S0: no penalty, no parameter.

    Notes
    -----
    theory.md section 12.
    """

    name: ClassVar[str] = "bayes"

    @property
    def penalty(self) -> None:
        return None
