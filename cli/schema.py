"""The JSON schemas of what commands print, kept in step with the result classes.

A part of a schema with ``"$comment": "MODULE:CLASS"`` holds the keys of that class: their names,
types and meanings are written from its fields. Every other key of a result is given its meaning.
``python -m attlas.cli.schema`` brings the files up to date.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

from attlas.cli.catalogue import catalogue, result_class
from attlas.model.result_key import key_fields
from attlas.solver.solution import Observables
from attlas.symbolic.explain import explain

FOLDER = Path(__file__).parent / "schemas"
_SHARED = "document.schema.json#/$defs/"
_PLAIN: dict[Any, dict[str, Any]] = {
    float: {"$ref": f"{_SHARED}real"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Observables: {"$ref": f"{_SHARED}observables"},
}


def refreshed(part: Any, verb: str) -> Any:
    """A schema of a command, or a part of it, with its keys as the result classes state them.

    Parameters
    ----------
    part : object
        As ``json.loads`` gives it.
    verb : str
        The command, whose meaning of a key is the one to give.
    """
    if isinstance(part, list):
        return [refreshed(one, verb) for one in part]
    if not isinstance(part, dict):
        return part
    place = part.get("$comment", "")
    if place and "enum" in part:
        return {**part, "enum": [field.name for field in key_fields(result_class(place))]}
    found = {name: refreshed(one, verb) for name, one in part.items()}
    if "properties" in found:
        own = _properties(result_class(place), verb, absent=True) if place else {}
        others = {
            name: {**_described(name, verb), **one}
            for name, one in found["properties"].items()
            if name not in own
        }
        found["properties"] = {**own, **others}
    return found


def _properties(cls: type, verb: str, absent: bool = False) -> dict[str, Any]:
    """The keys of a class; with ``absent``, those that are None are left out of the document."""
    return {
        field.name: {**_described(field.name, verb), **_type(field.type, verb, absent)}
        for field in key_fields(cls)
    }


def _described(name: str, verb: str) -> dict[str, str]:
    """The meaning of a key, where the command prints one of this name."""
    known = catalogue()
    if name not in known.keys and name not in known.symbols:
        return {}
    found = explain(name, known)
    meanings = [one.meaning for one in (found, *found.also) if verb in one.printed_by]
    return {"description": meanings[0]} if meanings else {}


def _type(kind: Any, verb: str, absent: bool = False) -> dict[str, Any]:
    if kind in _PLAIN:
        return _PLAIN[kind]
    parts = get_args(kind)
    if isinstance(kind, UnionType):
        kinds = [one for one in parts if not (absent and one is NoneType)]
        found = [_type(one, verb) for one in kinds]
        return found[0] if len(found) == 1 else {"anyOf": found}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _type(parts[0], verb)}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _type(parts[1], verb)}
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise TypeError(f"{kind} has no form in JSON")
    properties = _properties(kind, verb)
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": list(properties),
    }


def text_of(path: Path) -> str:
    """What the file of a schema has to hold."""
    held = json.loads(path.read_text(encoding="utf-8"))
    verb = path.name.removeprefix("attlas-").removesuffix(".schema.json")
    result = held["properties"]["result"]
    if "$defs" in held:
        held["$defs"] = refreshed(held["$defs"], verb)
    else:
        held["properties"]["result"] = refreshed(result, verb)
    return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for one in sorted(FOLDER.glob("*.json")):
        one.write_text(text_of(one), encoding="utf-8")
