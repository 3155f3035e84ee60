"""``attlas report``."""

from __future__ import annotations

from typing import Annotated

from cli.flags import OutputFlags, option
from cli.suite import SuiteFlags, writable_folder


def report(
    *,
    flags: SuiteFlags = SuiteFlags(),
    out: Annotated[str, option("folder that the report is written into")] = "out/report",
    output: OutputFlags = OutputFlags(),
) -> int:
    """Write the report, print where it is and what it found."""
    from reports import write_report

    folder = writable_folder("--out", out)
    result = flags.run()
    page = write_report(result, folder)
    if output.json:
        from cli.envelope import json_text
        from cli.suite import suite_document

        document = suite_document("report", result)
        document["result"]["page"] = str(page)
        print(json_text(document))
    else:
        from cli.suite import print_suite

        print_suite(result)
        print(f"Report: {page}")
    return result.exit_code
