"""What a result key says of itself, on the field of the class that holds it.

A result class writes ``mse: Annotated[float, Key("squared error of ...", "0 or more")]``. Nothing
else has to know: ``attlas explain``, the JSON schemas and the tables read the fields.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

#: Where keys are described that stand in no section of the theory.
JSON_PAGE = "docs/json.md"


@dataclass(frozen=True)
class Definition:
    """One formula, typed twice because no object of sympy stands for it.

    Attributes
    ----------
    text : str
        One line of Unicode, for a terminal.
    latex : str
        Without dollar signs.
    """

    text: str
    latex: str


def theory_md(section: str) -> str:
    """A section of docs/theory.md as a source."""
    return f"docs/theory.md, section {section}"


@dataclass(frozen=True)
class Key:
    """A key of a result.

    Attributes
    ----------
    meaning : str
        Empty where another stands for it: the symbol of this name in the notation, or else the key
        of this name on another class.
    domain : str
        Where it may lie; for what is no number, its form.
    source : str
        Page of docs/ and, of theory.md, the section.
    definition : Definition or None
        None for what is no quantity: a name, a list, a number of runs.
    group : str
        Heading that it stands under in tables.
    """

    meaning: str = ""
    domain: str = ""
    source: str = JSON_PAGE
    definition: Definition | None = None
    group: str = ""


@dataclass(frozen=True)
class ResultKey(Key):
    """A key by its name, with the commands that print it with this meaning."""

    key: str = ""
    verbs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A field of a result class that is a key: its name, its type and what it says of itself."""

    name: str
    type: Any
    key: Key


def key_fields(cls: type) -> Iterator[Field]:
    """The fields of a class that are keys, inherited ones first, in the order they are written."""
    for base in reversed(cls.__mro__):
        scope = vars(sys.modules[base.__module__])
        for name, annotation in _annotations(base):
            found = annotation
            if isinstance(annotation, str):
                if not annotation.startswith("Annotated"):
                    continue
                # As typing.get_type_hints does, without the other fields' types.
                found = eval(annotation, dict(scope))
            if get_origin(found) is Annotated:
                kind, *notes = get_args(found)
                yield from (Field(name, kind, one) for one in notes if isinstance(one, Key))


def _annotations(cls: type) -> Iterator[tuple[str, Any]]:
    """Of the fields, then of what properties and methods return."""
    yield from inspect.get_annotations(cls).items()
    for name, value in vars(cls).items():
        function = value.fget if isinstance(value, property) else value
        if inspect.isfunction(function) and "return" in function.__annotations__:
            yield name, function.__annotations__["return"]
