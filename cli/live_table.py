"""The state of a running suite on standard error, claim by claim; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from attlas.verify.suite.pace import SuiteEvent, SuiteProgress


class SuiteTable:
    """The last event of every claim, drawn as a table whenever it is asked for."""

    def __init__(self) -> None:
        self._events: dict[str, tuple[SuiteEvent, float]] = {}

    def show(self, event: SuiteEvent) -> None:
        """Take an event in."""
        self._events[event.claim] = (event, monotonic())

    def __rich__(self) -> Table:
        from rich.table import Table

        table = Table("claim", "state", "runs", "time left", box=None, pad_edge=False)
        for claim, (event, at) in self._events.items():
            left = event.seconds_left
            table.add_row(
                claim or "theory, all claims",
                state(event),
                f"{event.done}/{event.total}",
                "" if left is None or event.done == event.total else duration(left + at),
            )
        return table


def state(event: SuiteEvent) -> str:
    """waiting, running or done."""
    if event.done == event.total:
        return "done"
    return "running" if event.done else "waiting"


def duration(end: float) -> str:
    """Minutes and seconds until a time of the monotonic clock."""
    seconds = max(round(end - monotonic()), 0)
    return f"{seconds // 60}:{seconds % 60:02d}"


@contextmanager
def live_table() -> Iterator[SuiteProgress | None]:
    """A table that is redrawn four times a second; gives None unless a person is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    table = SuiteTable()
    with Live(table, console=Console(stderr=True), transient=True, refresh_per_second=4):
        yield table.show
