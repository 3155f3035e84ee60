"""Tables for people; plain text when the output is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None
) -> None:
    """Print rows of text on standard output, first column left, the others right aligned."""
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal:
        widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
        for row in ([title] if title else []), columns, *rows:
            cells = (text.ljust(width) for text, width in zip(row, widths, strict=False))
            if row:
                print("  ".join(cells).rstrip())
        return
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for position, name in enumerate(columns):
        table.add_column(name, justify="right" if position else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def print_values(
    values: Mapping[str, float], errors: Mapping[str, float | None], *, title: str | None = None
) -> None:
    """Print named numbers and their error bars."""
    rows = [
        (key, f"{value:.10g}", "" if (bar := errors.get(key)) is None else f"{bar:.1e}")
        for key, value in values.items()
    ]
    print_table(("quantity", "value", "error"), rows, title=title)
