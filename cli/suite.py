"""What ``attlas verify`` and ``attlas report`` share: the flags of a suite, its run, its JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import option, read_processes
from attlas.cli.live_table import live_table
from attlas.cli.shares import ExecutorFlags
from attlas.model import BadInput
from attlas.model.exact import positive, whole
from attlas.model.files import writable_folder

#: Seeds of runs are a million times a suite's seed and more, and rows hold them in 64 bits.
_LARGEST_SEED = 10**12

if TYPE_CHECKING:
    from attlas.verify.suite.result import SuiteResult


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class SuiteFlags(ExecutorFlags):
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
    claim_file: Annotated[
        str | None,
        option("run the claims of this Python file, decorated with @attlas.claim", "path", "Suite"),
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

    resume: Annotated[
        bool,
        Parameter(
            help="use the rows in the store (default), or make all of them again", group="Suite"
        ),
    ] = True
    time_budget: Annotated[
        str | None,
        option("minutes for the runs; seeds go where they decide most", "number", "Suite"),
    ] = None

    def run(self, verb: str, **more: Any) -> SuiteResult:
        """Run the suite for a verb, with its progress on standard error; more are its own flags."""
        budget = None
        if self.time_budget is not None:
            budget = 60 * float(positive("--time-budget", self.time_budget))
        settings = self.settings()
        chosen = self.elsewhere(settings["store"])
        from attlas.verify.suite.run import run_suite

        with self.guarded(), live_table() as progress:
            result = run_suite(
                self.suite,
                **settings,
                resume=self.resume,
                executor=chosen,
                time_budget=budget,
                progress=progress,
            )
        return replace(result, command=self.command(verb, **more))

    def settings(self) -> dict[str, Any]:
        """What a suite and a share of one are given alike, read and checked."""
        return {
            "seed": whole("--seed", self.seed, at_least=0, at_most=_LARGEST_SEED),
            "store": writable_folder("--store", self.store),
            "claims": self.claims(),
            "device": self.device,
            "processes": read_processes("--processes", self.processes),
        }

    def claims(self) -> list[Any] | None:
        """The claims asked for: ids, or those of a file; None is all of the suite."""
        if self.claim_file is None:
            return self.claim  # pyright: ignore[reportReturnType]
        from attlas.verify.claims.files import chosen, claims_in

        return chosen(claims_in(self.claim_file), self.claim or ())

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Say how to go on after Ctrl-C, and name the file where the store is damaged."""
        from attlas.verify.store.files import StoreError

        try:
            yield
        except StoreError as error:
            raise BadInput(
                "--store", self.store, "every row must be readable", str(error)
            ) from None
        except KeyboardInterrupt:
            print(
                f"What was run is kept in {self.store}; the same command goes on there, and so "
                f"does: {self.command('verify', resume=True)}",
                file=sys.stderr,
            )
            raise

    def command(self, verb: str, **more: Any) -> str:
        """The command of these flags, and more of the verb's own."""
        from attlas.reports.commands import command

        default = type(self)()
        names = [field.name for field in fields(self) if field.name != "suite"]
        where = [field.name for field in fields(ExecutorFlags)]
        names.sort(key=where.__contains__)  # what is run, then where
        given = {
            name: getattr(self, name)
            for name in names
            if getattr(self, name) != getattr(default, name)
        }
        return command(verb, {"suite": self.suite, **given, **more})


def suite_document(verb: str, result: SuiteResult) -> dict[str, Any]:
    """The JSON document of a suite; its ``result`` is what ``report.json`` holds."""
    from attlas.cli.envelope import document
    from attlas.reports.document import document as report_document
    from attlas.reports.headline import headline

    return document(
        verb,
        None,
        result=report_document(result),
        error={},
        status={
            "name": "failed" if result.exit_code else "passed",
            "ok": not result.exit_code,
            "message": headline(result)[1],
        },
        stats={
            "seconds": sum(result.seconds.values()),
            "rows_made": result.rows_made,
            "rows_reused": result.rows_reused,
        },
    )


def print_suite(result: SuiteResult) -> None:
    """Print the verdicts and controls as tables."""
    from attlas.cli.display import print_table
    from attlas.reports.headline import agreement, headline

    rows = [
        (
            f"{verdict.claim}, {verdict.point}, {verdict.quantity}",
            verdict.state.value,
            f"{verdict.margin:.2%}" if isfinite(verdict.margin) else "",
            f"{verdict.deviation:+.2%}",
            f"{verdict.interval[0]:+.2%} .. {verdict.interval[1]:+.2%}",
            f"{verdict.low:+.2%} .. {verdict.high:+.2%}",
            f"{verdict.power:.0%}",
            "" if isnan(verdict.goodness_of_fit) else f"{verdict.goodness_of_fit:.2g}",
        )
        for verdict in result.verdicts
    ]
    columns = ("verdict", "within", "deviation", "interval", "allowed", "power", "fit p")
    print_table(("claim, point, quantity", *columns), rows)
    for control in result.accepted_controls:
        print(f"NOT REJECTED: {control.claim}, {control.control}, a wrong theory")
    claims = [
        (one.claim.id, one.outcome.value, f"{one.power[0]:.0%}", f"{one.power[1]:.0%}")
        for one in result.claims
    ]
    print_table(("claim", "verdict", "least power", "median power"), claims)
    controls = [
        (f"{control.claim}, {control.control}", "rejected" if control.rejected else "ACCEPTED")
        for control in result.controls
    ]
    print_table(("control (a wrong theory)", "verdict"), controls)
    print(headline(result)[1])
    print(agreement(result.verdicts, result.controls))
