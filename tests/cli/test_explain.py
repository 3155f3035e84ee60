"""``attlas explain`` knows every key that a document can hold, as the command that prints it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attlas.cli.catalogue import catalogue
from attlas.cli.main import VERBS, main
from attlas.symbolic.explain import Explanation, explain
from tests.json_schema import schema

POWER_LAW = "scaling --target power-law:gamma=1,d=20"
#: Documents whose schema leaves their keys open, and how deep their own keys reach.
OPEN = {
    "sweep --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1 --workers 1": 2,
    "sweep --alpha 0.2 --lam 0.05 --kappa0 0.5 --tokens 2 --beta 2 --workers 1": 2,
    "phase --tokens 1 --noise 1/2 --boundaries collapse --map mse --x 0.1:0.6:2 --y 0.1:0.6:2": 3,
    f"{POWER_LAW} --n 200:1e4:2:log --lam 0.1:10:2:log": 2,
    f"{POWER_LAW} --n 400 --compare-routes": 4,
    "scaling --target power-law:gamma=1,d=12 --n 40 --emergence --modes 1": 3,
    f"{POWER_LAW} --study tail --n 800 --seeds 2": 2,
}
COSTLY = {
    f"{POWER_LAW} --n 40:400:2:log --emergence --modes 1 --seeds 1": 3,
    f"{POWER_LAW} --study time --n 800": 2,
    f"{POWER_LAW} --study pruning --n 800 --seeds 2": 2,
    f"{POWER_LAW} --study lasso": 2,
    f"{POWER_LAW} --study heads": 2,
}


def keys_of_schema(part: dict[str, Any], file: str) -> Iterator[str]:
    """Every key that a schema names, at any depth."""
    if "$ref" in part:
        name, _, place = part["$ref"].partition("#")
        target, file = schema(name or file), name or file
        for key in place.strip("/").split("/") if place else ():
            target = target[key]
        yield from keys_of_schema(target, file)
    yield from part.get("propertyNames", {}).get("enum", ())
    for key, one in part.get("properties", {}).items():
        yield key
        yield from keys_of_schema(one, file)
    for group in ("oneOf", "anyOf", "allOf"):
        for one in part.get(group, ()):
            yield from keys_of_schema(one, file)
    for inner in ("items", "additionalProperties"):
        if isinstance(part.get(inner), dict):
            yield from keys_of_schema(part[inner], file)


#: Keys whose values are named by boundaries, not by keys.
NAMED = ("absent", "sides")


def keys_of(value: Any, depth: int) -> Iterator[str]:
    """Every key of a document down to a depth; lists do not count."""
    if isinstance(value, list):
        for one in value:
            yield from keys_of(one, depth)
    elif isinstance(value, dict) and depth:
        for key, one in value.items():
            yield key
            yield from () if key in NAMED else keys_of(one, depth - 1)


def explained(key: str, verb: str) -> bool:
    """Whether the key is explained as one that the command prints."""
    try:
        found = explain(key, catalogue())
    except ValueError:
        return False
    meanings: tuple[Explanation, ...] = (found, *found.also)
    return any(verb in one.printed_by for one in meanings)


@pytest.mark.parametrize("verb", VERBS)
def test_every_key_of_a_schema_is_explained(verb: str) -> None:
    name = f"attlas-{verb}.schema.json"
    keys = set(keys_of_schema(schema(name)["properties"]["result"], name))
    assert keys
    assert not sorted(key for key in keys if not explained(key, verb))


def unexplained(line: str, depth: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main([*line.split(), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    verb = line.split(maxsplit=1)[0]
    return sorted({key for key in keys_of(result, depth) if not explained(key, verb)})


@pytest.mark.parametrize("line", OPEN)
def test_every_key_of_an_open_document_is_explained(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unexplained(line, OPEN[line], capsys) == []


@pytest.mark.slow
@pytest.mark.parametrize("line", COSTLY)
def test_every_key_of_a_costly_document_is_explained(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unexplained(line, COSTLY[line], capsys) == []


def test_columns_of_departures_are_explained() -> None:
    from attlas.verify.claims.sequential_recovery import PILOT
    from attlas.verify.studies.departures import _row

    point, quantity = next(iter(PILOT))
    assert all(explained(key, "scaling") for key in _row(point, quantity, 4, 0.1, 0.01))


def test_rows_of_the_exponent_table_are_explained() -> None:
    from attlas.cli.scaling import _row
    from attlas.solver.scaling import measure, place_of

    place = place_of("III", 1.25, modes=20, d=1000)
    keys = set(keys_of(_row(measure("III", 1.25, place)), 2))
    assert {"follow", "noise-halved", "size"} <= keys
    assert all(explained(key, "scaling") for key in keys)


def test_a_new_key_would_be_noticed() -> None:
    assert explained("over", "decompose")
    assert not explained("over", "solve")
    assert not explained("overr", "decompose")


def test_explain_answers_and_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "efficiency"]) == 0
    assert "bayes_test_error/test_error" in capsys.readouterr().out
    assert main(["explain"]) == 0
    listed = capsys.readouterr().out
    assert "result keys, decompose\n" in listed
    assert "\n  efficiency " in listed
    assert main(["explain", "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)["result"]["groups"]
    assert any("c1" in one["names"] for one in groups)


def test_the_how_to_shows_commands_that_answer() -> None:
    page = Path(__file__).parents[2] / "docs" / "howto" / "explain.md"
    text = page.read_text("utf-8")
    shown = [line for line in text.splitlines() if line.startswith("attlas explain")]
    assert shown
    for line in shown:
        assert main(line.split("#")[0].split()[1:]) == 0
