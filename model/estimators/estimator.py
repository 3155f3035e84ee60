"""What every estimator is."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar, Self

from attlas.model.errors import BadInput
from attlas.model.estimators.penalty import Penalty, weight_decay
from attlas.model.exact import Number, exact, non_negative, positive
from attlas.model.names import Part
from attlas.model.scores import Scores

#: Fields that the package itself varies, with their ranges.
_READERS = {"lam": non_negative, "kappa": positive}


class Estimator(metaclass=Part):
    """How S is chosen given the data: what is trained, and its penalty.

    A subclass is a frozen dataclass of numbers with a ``name`` and a ``penalty``; derivation,
    theory, training and reports follow from these. Fields are read exactly and are its parameters.
    Two names are known elsewhere: ``lam`` >= 0, the strength of the penalty, that sweeps and
    limits vary (0 stands for the limit lam -> 0+ where the penalty vanishes in proportion to it),
    and ``kappa`` > 0, the width ratio p/d of a student with a factor.

    Raises
    ------
    BadInput
        For a field that is no number, or out of range.
    """

    #: Of ``--training``.
    name: ClassVar[str]

    @property
    @abstractmethod
    def penalty(self) -> Penalty | None:
        """The penalty; None where nothing is trained: the posterior mean (theory.md section 12)."""

    def __post_init__(self) -> None:
        self._read(**{field: getattr(self, field) for field in self.fields()})

    def _read(self, **values: Any) -> None:
        for name, value in values.items():
            reader = _READERS.get(name, exact)
            object.__setattr__(self, name, reader(name, value))

    def scores(self, tokens: int) -> Scores:
        """The scores that its head forms of a sample of so many tokens.

        Raises
        ------
        BadInput
            For a number of tokens at which it forms none.
        """
        return Scores(tokens, tokens)

    @classmethod
    def fields(cls) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]

    def with_(self, *, lam: Number | None = None, kappa: Number | None = None) -> Self:
        """The same estimator at another ``lam`` or ``kappa``, of those that it has."""
        given = {"lam": lam, "kappa": kappa}
        changes = {k: v for k, v in given.items() if v is not None and k in self.fields()}
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    @property
    def shape(self) -> Penalty | None:
        """The penalty at lam = 1, which says what kind it is whatever its strength."""
        return self.with_(lam=1).penalty

    @property
    def decays(self) -> bool:
        """Whether its linear penalty is the weight decay lam ||W||_F^2 of a factor."""
        shape = self.shape
        if shape is None or shape.width is None:
            return False
        return shape.linear == weight_decay(1, shape.width)

    def trained(self) -> Penalty:
        """The penalty of an estimator that trains a map.

        Raises
        ------
        BadInput
            If it trains none.
        """
        if self.penalty is None:
            raise BadInput(
                "training",
                self.name,
                "must be one that trains a map",
                "spectra and parts of the error are those of a trained map",
            )
        return self.penalty
