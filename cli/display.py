"""Tables for people; plain text when the output is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from attlas.solver.result import Result

#: Seconds between two lines of progress where there is no terminal.
_SILENCE = 10.0


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None
) -> None:
    """Print rows of text on standard output, first column left, the others right aligned."""
    console = Console(file=sys.stdout, highlight=False)
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for position, name in enumerate(columns):
        # Sentences may be wrapped; a number that is cut would read as another number.
        sentences = any(" " in row[position] for row in rows)
        justify = "right" if position and not sentences else "left"
        table.add_column(name, justify=justify, no_wrap=not sentences)
    for row in rows:
        table.add_row(*row)
    unlimited = console.options.update(max_width=sys.maxsize)
    if console.is_terminal and console.measure(table, options=unlimited).minimum <= console.width:
        console.print(table)
    else:
        _print_plain(columns, rows, title)


def _print_plain(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str | None) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    if title:
        print(title)
    for row in columns, *rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def print_result(result: Result, keys: Sequence[str] | None = None) -> None:
    """Print the numbers of a result, or some, with error bars under the headings of groups."""
    rows: list[tuple[str, str, str]] = []
    above = ""
    for group, key, value, bar in result.table(keys):
        if group != above:
            rows.append((f"{group}:", "", ""))
            above = group
        rows.append((f"  {key}" if group else key, value, bar))
    print_table(("quantity", "value", "error"), rows)


def print_rows(
    rows: Sequence[Mapping[str, Any]], results: Sequence[str], axes: Iterable[str]
) -> None:
    """Print some columns of a tidy table: the swept parameters, then the results it holds."""
    columns = [*axes, *(name for name in results if any(row.get(name) is not None for row in rows))]
    shown = [[_cell(row.get(name)) for name in columns] for row in rows]
    print_table(columns, shown)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def tell(sentence: str, *, ok: bool, as_json: bool) -> None:
    """Say on standard error how a command ended; beside a document only where that is not well."""
    if not ok or not as_json:
        print(sentence, file=sys.stderr)


def tell_file(path: Path | None, *, as_json: bool) -> None:
    """Say on standard error which file was written, if any."""
    if path is not None:
        tell(f"Written: {path}", ok=True, as_json=as_json)


class _Lines:
    """A line where nothing has been said for some time."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = self._said = monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = monotonic()
        if now - self._said > _SILENCE:
            self._said = now
            print(
                f"{self._what}: {done} of {total} done in {now - self._began:.0f} s",
                file=sys.stderr,
                flush=True,
            )


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress of counted work on standard error: a bar on a terminal, else a line at times."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(what)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
