"""What ``attlas verify`` and ``attlas report`` share: the flags of a suite, its run, its JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cli.flags import option
from model import BadInput
from model.exact import whole

if TYPE_CHECKING:
    from verify.result import SuiteResult


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SuiteFlags:
    """Which suite is run, and how."""

    suite: Annotated[str, option("quick, standard or full", "text", "Suite")] = "quick"
    claim: Annotated[
        list[str] | None,
        Parameter(
            help="run this claim only; may be repeated",
            metavar="TEXT",
            group="Suite",
            negative="",
        ),
    ] = None
    seed: Annotated[str, option("another seed gives other teachers and data", "whole", "Suite")] = (
        "0"
    )
    device: Annotated[str, option("auto, cpu or cuda", "text", "Suite")] = "auto"
    store: Annotated[
        str, option("folder of stored runs; what is there is not run again", "text", "Suite")
    ] = "out/store"
    processes: Annotated[
        str | None, option("worker processes; default one a processor", "whole", "Suite")
    ] = None

    def run(self) -> SuiteResult:
        """Run the suite, with its progress on standard error."""
        seed = whole("--seed", self.seed, at_least=0)
        processes = None
        if self.processes is not None:
            processes = whole("--processes", self.processes, at_least=1)

        store = writable_folder("--store", self.store)

        from verify.run import run_suite
        from verify.store import StoreError

        try:
            with _progress() as progress:
                return run_suite(
                    self.suite,
                    store=store,
                    claims=self.claim,
                    device=self.device,
                    seed=seed,
                    processes=processes,
                    progress=progress,
                )
        except StoreError as error:
            raise BadInput(
                "--store", self.store, "every row must be readable", str(error)
            ) from None


def writable_folder(flag: str, text: str) -> Path:
    """A folder that can be written into; checked before anything long is run."""
    path = Path(text)
    first = next((part for part in (path, *path.parents) if part.exists()), Path("."))
    if not text or not first.is_dir() or not os.access(first, os.W_OK):
        raise BadInput(flag, text, "must be a folder that can be written into")
    return path


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    if not sys.stderr.isatty():
        yield _say_when_done
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage)
            bar.update(tasks[stage], completed=done, total=total)

        yield show


def _say_when_done(stage: str, done: int, total: int) -> None:
    if done == total:
        print(f"{stage}: {total} done", file=sys.stderr)


def suite_document(verb: str, result: SuiteResult) -> dict[str, Any]:
    """The JSON document of a suite; its ``result`` is what ``report.json`` holds."""
    from cli.envelope import document
    from reports.document import document as report_document

    return document(
        verb,
        None,
        result=report_document(result),
        error={},
        status={
            "name": "failed" if result.exit_code else "passed",
            "ok": not result.exit_code,
            "message": _sentence(result),
        },
        stats={
            "seconds": sum(result.seconds.values()),
            "rows_made": result.rows_made,
            "rows_reused": result.rows_reused,
        },
    )


def _sentence(result: SuiteResult) -> str:
    if result.exit_code:
        return (
            f"Failed: {len(result.unexpected)} unexpected disagreements, "
            f"{len(result.accepted_controls)} accepted controls."
        )
    return "Passed: no unexpected disagreement, and every control is rejected."


def print_suite(result: SuiteResult) -> None:
    """Print the verdicts and controls as tables."""
    from cli.display import print_table

    rows = [
        (
            f"{verdict.claim}, {verdict.point}, {verdict.quantity}",
            verdict.outcome.value + (" (expected)" if verdict.expected else ""),
            f"{verdict.deviation:+.2%}",
            f"{verdict.interval[0]:+.2%} .. {verdict.interval[1]:+.2%}",
            f"{verdict.low:+.2%} .. {verdict.high:+.2%}",
        )
        for verdict in result.verdicts
    ]
    print_table(("claim, point, quantity", "verdict", "deviation", "interval", "allowed"), rows)
    controls = [
        (f"{control.claim}, {control.control}", "rejected" if control.rejected else "ACCEPTED")
        for control in result.controls
    ]
    print_table(("control (a wrong theory)", "verdict"), controls)
    print(_sentence(result))
