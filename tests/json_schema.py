"""The part of JSON Schema that the published schemas use."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "reports" / "report.schema.json"
FOLDERS = (ROOT / "docs" / "schemas", REPORT.parent)

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


@cache
def schema(name: str) -> dict[str, Any]:
    """A published schema by the name of its file."""
    path = next(folder / name for folder in FOLDERS if (folder / name).is_file())
    return json.loads(path.read_text(encoding="utf-8"))


def check(value: Any, part: dict[str, Any], name: str, where: str = "") -> None:
    """Assert that a value is what a part of the schema ``name`` says.

    Parameters
    ----------
    value : object
        As ``json.loads`` gives it.
    part : dict
        A schema, or a part of one.
    name : str
        The file that the part is from, which its references are relative to.
    where : str
        The value's place in the document, for messages.
    """
    if "$ref" in part:
        file, _, place = part["$ref"].partition("#")
        target, file = schema(file or name), file or name
        for key in place.strip("/").split("/") if place else ():
            target = target[key]
        check(value, target, file, where)
    for one in part.get("allOf", ()):
        check(value, one, name, where)
    for kind, allowed in (("oneOf", (1,)), ("anyOf", range(1, 99))):
        if kind in part:
            faults = [fault(value, one, name, where) for one in part[kind]]
            assert faults.count("") in allowed, f"{where}: {'; '.join(faults)}"
    if "const" in part:
        assert value == part["const"], where
    if "enum" in part:
        assert value in part["enum"], where
    if "type" in part:
        kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
        assert any(isinstance(value, TYPES[kind]) for kind in kinds), f"{where}: {value!r}"
        assert isinstance(value, bool) <= ("boolean" in kinds), where
    if "pattern" in part:
        assert re.search(part["pattern"], value), f"{where}: {value!r}"
    if isinstance(value, dict):
        _check_object(value, part, name, where)
    if isinstance(value, list):
        assert len(value) >= part.get("minItems", 0), where
        for index, entry in enumerate(value):
            check(entry, part.get("items", {}), name, f"{where}/{index}")


def fault(value: Any, part: dict[str, Any], name: str, where: str = "") -> str:
    """Where a value departs from a part of a schema; empty where it does not."""
    try:
        check(value, part, name, where)
    except AssertionError as error:
        return str(error) or where or "/"
    return ""


def _check_object(value: dict[str, Any], part: dict[str, Any], name: str, where: str) -> None:
    missing = set(part.get("required", ())) - set(value)
    assert not missing, f"{where}: without {missing}"
    known, rest = part.get("properties", {}), part.get("additionalProperties", True)
    for key, entry in value.items():
        assert key in known or rest is not False, f"{where}/{key} is not in the schema"
        check(key, part.get("propertyNames", {}), name, f"{where}/{key}")
        inner = known.get(key, rest if isinstance(rest, dict) else {})
        check(entry, inner, name, f"{where}/{key}")
