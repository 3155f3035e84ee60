"""The published schemas, and documents beside them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from attlas.cli.schema import FOLDER

REPORT = FOLDER.parents[1] / "reports" / "report.schema.json"


@cache
def schema(name: str) -> dict[str, Any]:
    """A published schema by the name of its file."""
    path = next(one for one in (FOLDER / name, REPORT.parent / name) if one.is_file())
    return json.loads(path.read_text(encoding="utf-8"))


def _published(uri: str) -> Resource[Any]:
    return Resource.from_contents(schema(uri))


_REGISTRY: Registry[Any] = Registry(retrieve=_published)


def faults(value: Any, name: str) -> list[str]:
    """Where a document departs from the schema in the file ``name``, and how."""
    Draft202012Validator.check_schema(schema(name))
    # By its own name, so that references within it and to others are found alike.
    validator = Draft202012Validator({"$ref": name}, registry=_REGISTRY)
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]


def check(value: Any, name: str) -> None:
    """Assert that a document is what the schema in the file ``name`` says."""
    assert not (found := faults(value, name)), "\n".join(found)
