"""Keys of documents that no class holds."""

from __future__ import annotations

from attlas.model.result_key import JSON_PAGE, Definition, ResultKey, theory_md

__all__ = ["JSON_PAGE", "result_key", "theory"]

theory = theory_md


def result_key(
    key: str,
    verbs: tuple[str, ...],
    meaning: str,
    domain: str,
    source: str,
    definition: Definition | None = None,
) -> ResultKey:
    """One of them."""
    return ResultKey(meaning, domain, source, definition, key=key, verbs=verbs)
