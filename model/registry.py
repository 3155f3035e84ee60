"""What stands before the colon of ``--flag name:key=value``: the variants of a part, by name."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, ClassVar, Generic, Self, TypeVar

from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import decimal_text, exact
from attlas.model.fields import read_fields
from attlas.model.names import Part

V = TypeVar("V")
C = TypeVar("C", bound=type)


class Registry(dict[str, V], Generic[V]):
    """Variants by name, each name taken once.

    Parameters
    ----------
    parameter : str
        The parameter of a problem whose values they are, for messages.
    kind : str
        What they are, in words.
    known : mapping, optional
    """

    def __init__(self, parameter: str, kind: str, known: Mapping[str, V] | None = None) -> None:
        super().__init__(known or {})
        self.parameter, self.kind = parameter, kind

    def add(self, name: str, variant: V) -> None:
        """Make a variant known.

        Raises
        ------
        BadInput
            If its name is taken by another.
        """
        if self.setdefault(name, variant) != variant:
            taken = f"is taken by another {self.kind}"
            raise BadInput(self.parameter, name, taken, "name it otherwise")

    def register(self, cls: C) -> C:
        """Make a class known under its ``name``; also as a decorator.

        Raises
        ------
        BadInput
            If its name is taken.
        """
        self.add(cls.name, cls)  # type: ignore[attr-defined, arg-type]
        return cls

    def named(self, text: Any) -> tuple[str, V, str]:
        """The name that a text begins with, what it names, and the text behind the colon.

        Raises
        ------
        BadInput
            For an unknown name; the nearest is named.
        """
        name, _, rest = str(text).strip().partition(":")
        if name not in self:
            raise unknown_name(self.parameter, name, self)
        return name, self[name], rest

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """What is wrong inside is said to be wrong of this variant."""
        try:
            yield
        except BadInput as error:
            if error.parameter.partition(" ")[0] == self.parameter:
                raise
            raise error.within(f"{self.parameter} {name}") from None


class Named(metaclass=Part):
    """A variant that a flag writes as ``name:key=value,key=value``.

    A subclass is a dataclass whose fields are numbers, read exactly.
    """

    name: ClassVar[str]
    #: The parameter whose values they are, for messages.
    parameter: ClassVar[str]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, exact(field.name, getattr(self, field.name)))

    def grammar(self) -> str:
        """The variant as the command line writes it, exactly."""
        values = {key: getattr(self, key) for key in inspect.signature(type(self)).parameters}
        given = (f"{key}={_text(value)}" for key, value in values.items() if value is not None)
        return ":".join(filter(None, (self.name, ",".join(given))))

    @classmethod
    def from_grammar(cls, text: str) -> Self:
        """Read what follows ``name:``; the inverse of :meth:`grammar`."""
        parameters = inspect.signature(cls).parameters
        given = read_fields(cls.name, text, known=tuple(parameters), part=cls.parameter)
        for key, parameter in parameters.items():
            if key not in given and parameter.default is parameter.empty:
                shown = f"{cls.name}:{text}".strip(":")
                raise BadInput(cls.parameter, shown, f"{key} is required")
        return cls(**given)


def _text(value: Any) -> str:
    return decimal_text(value) if isinstance(value, Fraction) else str(value)
