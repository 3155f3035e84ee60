"""Progress of simulations: events, and a bar for people on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Event:
    """One report from a running simulation.

    Attributes
    ----------
    seed : int
    stage : str
        "adam", "l-bfgs float32", "l-bfgs", "measure", "theory" or "done", for example.
    step, steps : int
        Steps made and (at most) to make in this stage.
    run, runs : int
        Number of the run (from 0) and of all runs.
    """

    seed: int
    stage: str
    step: int
    steps: int
    run: int = 0
    runs: int = 1


Progress = Callable[[Event], None]


@contextmanager
def progress_bar(enabled: bool = True) -> Iterator[Progress | None]:
    """A rich progress bar on standard error; gives None when not enabled.

    Example
    -------
    ``with progress_bar() as progress: simulate(problem, d=60, seeds=4, progress=progress)``
    """
    if not enabled:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=1.0, stage="")

        def show(event: Event) -> None:
            inside = event.step / event.steps if event.steps else 0.0
            done = event.run + (1.0 if event.stage == "done" else 0.0)
            bar.update(
                task,
                total=float(event.runs),
                completed=done,
                description=f"run {event.run + 1}/{event.runs} (seed {event.seed})",
                stage=f"{event.stage} {100 * inside:.0f} %",
            )

        yield show


def progress_lines() -> Progress:
    """A plain line on standard error for each run that ends: for logs, where a bar has no place."""
    began = perf_counter()

    def show(event: Event) -> None:
        if event.stage == "done":
            print(
                f"run {event.run + 1}/{event.runs} (seed {event.seed}) done, "
                f"{perf_counter() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    return show
