"""``attlas explain``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags


def explain(
    symbol: Annotated[
        str | None,
        Parameter(
            help="a symbol or a result key: q, sigma_hat, test_error; without one, all are listed"
        ),
    ] = None,
    /,
    *,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print what the symbol is, its equation and where it appears; or every name."""
    from attlas.cli.catalogue import catalogue
    from attlas.symbolic.explanation_forms import (
        explain_document,
        explain_text,
        list_document,
        list_text,
    )

    known = catalogue()
    if not output.json:
        print(list_text(known) if symbol is None else explain_text(symbol, known), end="")
        return 0
    from attlas.cli.envelope import document, json_text

    parts = document(
        "explain",
        None,
        result=list_document(known) if symbol is None else explain_document(symbol, known),
        error={},
        status={"name": "explained", "ok": True, "message": ""},
        stats={},
    )
    print(json_text(parts))
    return 0
