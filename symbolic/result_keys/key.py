"""One key of a result."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.symbolic.definition import Definition


@dataclass(frozen=True)
class ResultKey:
    """A key of a result that is not a symbol of an equation, or means more there.

    Attributes
    ----------
    key : str
        As JSON and tables write it.
    verbs : tuple of str
        The commands that print it with this meaning.
    meaning, domain : str
    source : str
        Page of docs/ and, of theory.md, the section.
    definition : Definition or None
        None for what is no quantity: a name, a list, a number of runs.
    """

    key: str
    verbs: tuple[str, ...]
    meaning: str
    domain: str
    source: str
    definition: Definition | None = None


def theory(section: str) -> str:
    """A section of docs/theory.md as a source."""
    return f"docs/theory.md, section {section}"


JSON_PAGE = "docs/json.md"
