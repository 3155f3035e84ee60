"""``attlas compare``."""

from __future__ import annotations

import shlex
from typing import Annotated

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.cli.live_table import live_table
from attlas.model import BadInput
from attlas.model.files import writable_folder


def compare(
    table: Annotated[str, Parameter(help="runs, one a row: .csv or .parquet", metavar="FILE")],
    /,
    *,
    flags: ProblemFlags = ProblemFlags(),
    map_: Annotated[
        str | None,
        Parameter(
            name="--map",
            help="other names and units of columns: ours=theirs,... such as "
            "test_error_clean=test,loss=mean_loss*alpha",
            metavar="TEXT",
            group="Table",
        ),
    ] = None,
    ignore: Annotated[str | None, option("columns to leave out: a,b", "text", "Table")] = None,
    margin: Annotated[
        str | None,
        option("relative deviation that counts as agreement", "number", "Table"),
    ] = None,
    out: Annotated[
        str | None, option("folder that the page is written into", "path", "Output")
    ] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the verdicts; exit code 1 where runs and theory disagree, or nothing is determined.

    Flags of the problem are parameters that all rows share.
    """
    from attlas.reports import write_report
    from attlas.reports.commands import command
    from attlas.reports.write import FILES

    folder = None if out is None else writable_folder("--out", out, tuple(FILES))
    given = flags.given()
    shown = {**given, "map": map_, "ignore": ignore, "margin": margin, "out": out}
    from attlas.verify.suite.compare import compare as judge

    with live_table() as progress:
        found = judge(
            table,
            map=_pairs(map_),
            ignore=() if ignore is None else [name.strip() for name in ignore.split(",")],
            margin=margin,
            progress=progress,
            command=command(f"compare {shlex.quote(table)}", shown),
            **given,
        )
    page = None if folder is None else write_report(found.result, folder)
    code = found.result.exit_code or (0 if found.determined else 1)
    if output.json:
        from attlas.cli.envelope import json_text
        from attlas.cli.suite import suite_document

        printed = suite_document("compare", found.result)
        if page is not None:
            printed["result"]["page"] = str(page)
        printed["status"] = {
            "name": _outcome(code, found.determined),
            "ok": code == 0,
            "message": found.sentence,
        }
        print(json_text(printed))
        return code
    from attlas.cli.suite import print_suite

    print_suite(found.result)
    if not found.determined:
        print(found.sentence)
    if page is not None:
        print(f"Page: {page}")
    return code


def _outcome(code: int, determined: bool) -> str:
    if not determined:
        return "undetermined"
    return "failed" if code else "passed"


def _pairs(text: str | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for piece in (text or "").split(","):
        left, equal, right = (part.strip() for part in piece.partition("="))
        if not text:
            break
        if not (left and equal and right):
            raise BadInput("--map", text, "must be ours=theirs, separated by commas")
        pairs[left] = right
    return pairs
