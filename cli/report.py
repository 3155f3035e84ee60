"""``attlas report``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from attlas.cli.flags import OutputFlags, option
from attlas.cli.suite import SuiteFlags
from attlas.model import BadInput
from attlas.model.files import writable_folder

#: Where a report goes.
_OUT = "out/report"

if TYPE_CHECKING:
    from attlas.reports.drift import Drift
    from attlas.verify.suite.result import SuiteResult


def report(
    *,
    flags: SuiteFlags = SuiteFlags(),
    out: Annotated[str, option("folder that the report is written into")] = _OUT,
    against: Annotated[
        str | None,
        option(
            "compare with accepted values: a file, or 'baseline' for the committed ones", "path"
        ),
    ] = None,
    accept: Annotated[
        str | None, option("make these the accepted values, for this reason", "text")
    ] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Write the report, print where it is and what it found; exit code 1 also for drift.

    It is index.html, report.json, summary.md (for a pull request) and junit.xml.
    """
    from attlas.reports import write_report
    from attlas.reports.baseline import COMMITTED, baseline_path, read_baseline
    from attlas.reports.drift import drift
    from attlas.reports.write import FILES

    folder = writable_folder("--out", out, tuple(FILES))
    accepted = baseline_path(flags.suite, against or COMMITTED)
    if accept is not None:
        _require_acceptable(flags, accept, accepted)
    old = None
    if against is not None and (accept is None or accepted.is_file()):
        old = read_baseline(flags.suite, against)
    own = {"out": out if out != _OUT else None, "against": against, "accept": accept}
    result = flags.run("report", **own)
    found = drift(old, result) if old is not None else None
    page = write_report(result, folder, found)
    if output.json:
        from attlas.cli.envelope import json_text

        print(json_text(_document(result, found, page)))
    else:
        from attlas.cli.suite import print_suite

        print_suite(result)
        if found is not None:
            print(found.sentence)
        print(f"Report: {page}")
    if accept is not None:
        return _accept(result, accept, accepted)
    return result.exit_code or (found.exit_code if found is not None else 0)


def _document(result: SuiteResult, found: Drift | None, page: Path) -> dict[str, Any]:
    from attlas.cli.suite import suite_document
    from attlas.reports.document import document

    envelope = suite_document("report", result)
    envelope["result"] = {**document(result, found), "page": str(page)}
    if found is not None and found.exit_code and not result.exit_code:
        envelope["status"] = {"name": "drifted", "ok": False, "message": found.sentence}
    return envelope


def _require_acceptable(flags: SuiteFlags, reason: str, path: Path) -> None:
    """Before anything is run: a reason, the whole suite, and a place to write to."""
    if not reason.strip():
        raise BadInput("--accept", reason, "must say why the values are accepted")
    if flags.claim or flags.claim_file:
        left_out = "--claim" if flags.claim else "--claim-file"
        raise BadInput("--accept", reason, f"needs the whole suite: leave {left_out} out")
    try:
        writable_folder("--against", str(path.parent))
    except BadInput:
        raise BadInput(
            "--accept",
            reason,
            f"cannot be written into {path.parent}",
            "name a file of your own with --against FILE",
        ) from None


def _accept(result: SuiteResult, reason: str, path: Path) -> int:
    from attlas.reports.baseline import accept

    if result.exit_code:
        print("Not accepted: the suite failed.", file=sys.stderr)
        return result.exit_code
    accept(result, reason, path)
    print(f"Accepted: {path}", file=sys.stderr)
    return 0
