"""report.json is what its published schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reports
from reports.document import document
from verify.result import SuiteResult

SCHEMA = json.loads((Path(reports.__file__).parent / "report.schema.json").read_text("utf-8"))

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def check(value: Any, schema: dict[str, Any], where: str = "") -> None:
    """The part of JSON Schema that the report's schema uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    for one in schema.get("oneOf", ()):
        if (one.get("type") == "null") is (value is None):
            check(value, one, where)
    if "const" in schema:
        assert value == schema["const"], where
    if "enum" in schema:
        assert value in schema["enum"], where
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, TYPES[kind]) for kind in kinds), where
        assert isinstance(value, bool) <= ("boolean" in kinds), where
    if isinstance(value, dict):
        known = schema.get("properties", {})
        assert set(schema.get("required", ())) <= set(value), where
        for key, entry in value.items():
            rest = schema.get("additionalProperties", True)
            assert key in known or rest is not False, f"{where}/{key}"
            check(entry, known.get(key, rest if isinstance(rest, dict) else {}), f"{where}/{key}")
    if isinstance(value, list):
        for index, entry in enumerate(value):
            check(entry, schema.get("items", {}), f"{where}/{index}")


@pytest.fixture(scope="module")
def content(result: SuiteResult) -> dict[str, Any]:
    return json.loads(json.dumps(document(result), allow_nan=False))


def test_report_follows_its_schema(content: dict[str, Any]):
    check(content, SCHEMA)


@pytest.mark.parametrize("key", ["exit_code", "claims", "level"])
def test_the_schema_notices_what_is_missing(content: dict[str, Any], key: str):
    with pytest.raises(AssertionError):
        check({name: value for name, value in content.items() if name != key}, SCHEMA)


def test_the_schema_notices_what_it_does_not_know(content: dict[str, Any]):
    with pytest.raises(AssertionError):
        check({**content, "verdict": "fine"}, SCHEMA)
