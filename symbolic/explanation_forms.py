"""Explanations as text and as plain data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from attlas.symbolic import notation as sym
from attlas.symbolic.corpus import corpus
from attlas.symbolic.derive import TARGETS
from attlas.symbolic.explain import (
    SYMBOLS,
    Catalogue,
    Explanation,
    Standing,
    explain,
    names,
)
from attlas.symbolic.render import COLUMNS, describe, formula_mathml, latex, line, mathml, text


def explain_text(key: str, known: Catalogue = SYMBOLS) -> str:
    """The explanation as plain text."""
    found = explain(key, known)
    shown = "" if found.symbol_text == found.key else f"  ({found.symbol_text})"
    rows = [f"{found.key}{shown}", *_sense(found)]
    for other in found.also:
        rows += [f"{found.key}, as a key of {_commands(other)}", *_sense(other)]
    return "\n".join(rows) + "\n"


def list_text(known: Catalogue = SYMBOLS) -> str:
    """Every name, one line each with its meaning."""
    rows: list[str] = []
    for group, entries in names(known):
        rows += ["", group] if rows else [group]
        width = max(len(name) for name, _ in entries)
        room = COLUMNS - width - 4
        for name, meaning in entries:
            short = textwrap.shorten(meaning, room, placeholder=" ...")
            rows.append(f"  {name.ljust(width)}  {short}")
    rows += ["", "attlas explain NAME: domain, definition, equations and source of one of them."]
    return "\n".join(rows) + "\n"


def _sense(found: Explanation) -> Iterator[str]:
    yield from _wrapped(found.meaning)
    yield from _wrapped(f"kind: {found.kind}; domain: {found.domain}")
    if found.definition is not None:
        yield from _wrapped(f"definition: {found.definition.text}")
    for one in found.equations:
        yield from _wrapped(f"{one.label} ({_place(one)}):")
        yield from ("      " + row for row in text(one.equation).splitlines())
    if found.appears_in:
        yield from _wrapped(f"appears in: {_derivations(found)}")
    if found.printed_by:
        yield from _wrapped(f"printed by: {_commands(found)}")
    yield from _wrapped(f"source: {found.source}")


def _place(one: Standing) -> str:
    derived = f"; attlas derive {one.where}" if one.where in TARGETS else ""
    return f"{one.section}{derived}"


def _derivations(found: Explanation) -> str:
    """What can be derived by its name, the others by their title."""
    derivable = [key for key in found.appears_in if key in TARGETS]
    others = [
        source.title
        for source in corpus()
        if source.key in found.appears_in and source.key not in TARGETS
    ]
    return "; ".join([*([f"attlas derive {', '.join(derivable)}"] if derivable else []), *others])


def _commands(found: Explanation) -> str:
    return f"attlas {', '.join(found.printed_by)}"


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(
        sentence,
        COLUMNS,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def explain_document(key: str, known: Catalogue = SYMBOLS) -> dict[str, Any]:
    """The explanation as plain data for JSON."""
    found = explain(key, known)
    entry = next((e for e in sym.notations() if e.key == found.key), None)
    return {
        "key": found.key,
        **_data(found),
        "notation": None if entry is None else describe(entry),
        "also": [_data(other) for other in found.also],
    }


def list_document(known: Catalogue = SYMBOLS) -> dict[str, Any]:
    """Every name with its meaning, by group."""
    return {"groups": [{"group": group, "names": dict(entries)} for group, entries in names(known)]}


def _data(found: Explanation) -> dict[str, Any]:
    definition = found.definition
    return {
        "meaning": found.meaning,
        "kind": found.kind,
        "domain": found.domain,
        "latex": found.symbol_latex,
        "text": found.symbol_text,
        "definition": None if definition is None else definition.latex,
        "definition_text": None if definition is None else definition.text,
        "definition_mathml": None if definition is None else formula_mathml(definition.latex),
        "equations": [
            {
                "in": one.where,
                "title": one.title,
                "section": one.section,
                "case": one.case,
                "text": line(one.equation),
                "latex": latex(one.equation),
                "mathml": mathml(one.equation),
            }
            for one in found.equations
        ],
        "appears_in": list(found.appears_in),
        "printed_by": list(found.printed_by),
        "source": found.source,
    }
