"""What stands before the colon of ``--flag name:key=value``: the variants of a part, by name."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import decimal_text, exact
from attlas.model.fields import read_fields
from attlas.model.names import Part
from attlas.model.plugins import files, import_file, import_installed, module_name

#: Where a name may come from that is unknown.
_ADVICE = "what a file of your own registers needs that file as `plugin`"

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
    base : class, optional
        What classes derive from that :func:`register` takes for variants of this part.
    """

    #: Those that users add classes to.
    open: ClassVar[list[Registry[Any]]] = []

    def __init__(
        self,
        parameter: str,
        kind: str,
        known: Mapping[str, V] | None = None,
        *,
        base: Part | None = None,
    ) -> None:
        super().__init__(known or {})
        self.parameter, self.kind, self.base = parameter, kind, base
        if base is not None:
            Registry.open.append(self)

    def register(self, cls: C) -> C:
        """Make a class known under its ``name``; also as a decorator.

        Raises
        ------
        BadInput
            If it lacks what its base asks for, or its name is taken.
        """
        lacking = cls.lacks()  # type: ignore[attr-defined]
        if lacking:
            raise BadInput(self.parameter, getattr(cls, "name", cls.__name__), lacking)
        readers = getattr(cls, "readers", lambda: {cls.name: cls})()  # type: ignore[attr-defined]
        for name in readers:
            # The class of a cell that is run again, or of a file that is read again, is replaced.
            if name in self and _origin(self[name]) != _origin(cls):
                taken = f"is taken by another {self.kind}"
                raise BadInput(self.parameter, name, taken, "name it otherwise")
        self.update(readers)
        return cls

    def named(self, text: Any) -> tuple[str, V, str]:
        """The name that a text begins with, what it names, and the text behind the colon.

        Raises
        ------
        BadInput
            For a name that neither attlas nor a plug-in has; the nearest is named.
        """
        name, _, rest = str(text).strip().partition(":")
        if name not in self:
            import_installed()
        if name not in self:
            found = unknown_name(self.parameter, name, self)
            advice = found.advice or ("" if self.base is None else _ADVICE)
            raise BadInput(self.parameter, name, found.valid, advice)
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


def register(cls: C) -> C:
    """Make a part known to the command line by its ``name``; also as a decorator of its class.

    Parameters
    ----------
    cls : class
        That derives from :class:`attlas.Target`, :class:`attlas.Channel`,
        :class:`attlas.Estimator`, or is a law or a covariance of tokens.

    Raises
    ------
    BadInput
        If it is none of these, if something is missing that they ask for, or if its name is taken.
    """
    for registry in Registry.open:
        if isinstance(cls, type) and issubclass(cls, registry.base):  # type: ignore[arg-type]
            return registry.register(cls)
    bases = ", ".join(registry.base.__name__ for registry in Registry.open if registry.base)
    raise BadInput("part", cls, f"must be a class that derives from one of {bases}")


def load_plugin(file: str | Path) -> None:
    """Read a file that registers parts.

    Raises
    ------
    BadInput
        If it cannot be read, its code fails, or it registers nothing.
    """
    if not _registers(import_file(file).__name__):
        advice = "decorate its class with attlas.register"
        raise BadInput("plugin", str(file), "must register a part", advice)


def plugin_files() -> list[Path]:
    """The files of this process that register parts."""
    return [file for file in files() if _registers(module_name(file))]


def _registers(module: str) -> bool:
    return any(_origin(one)[0] == module for known in Registry.open for one in known.values())


def _origin(variant: Any) -> tuple[str, str]:
    """The module and the name of a class, or of the class that a reader is of."""
    cls = getattr(variant, "__self__", variant)
    return cls.__module__, cls.__qualname__
