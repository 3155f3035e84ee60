"""``attlas verify``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from cli.flags import OutputFlags
from cli.suite import SuiteFlags


def verify(
    *,
    flags: SuiteFlags = SuiteFlags(),
    list_: Annotated[
        bool, Parameter(name="--list", help="list suites and claims, run nothing", negative="")
    ] = False,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the verdicts; exit code 1 for an unexpected disagreement or an accepted control."""
    if list_:
        _list(output.json)
        return 0
    result = flags.run()
    if output.json:
        from cli.envelope import json_text
        from cli.suite import suite_document

        print(json_text(suite_document("verify", result)))
    else:
        from cli.suite import print_suite

        print_suite(result)
    return result.exit_code


def _list(as_json: bool) -> None:
    from verify.claims import CLAIMS
    from verify.suites import SUITES

    if as_json:
        from cli.envelope import document, json_text

        result = {
            "suites": {
                name: {
                    "purpose": one.purpose,
                    "minutes": one.minutes,
                    "claims": [claim.id for claim in one.claims()],
                }
                for name, one in SUITES.items()
            },
            "claims": {name: claim.statement for name, claim in CLAIMS.items()},
        }
        status = {"name": "listed", "ok": True, "message": ""}
        print(json_text(document("verify", None, result=result, error={}, status=status, stats={})))
        return
    from cli.display import print_table

    suites = [(name, f"{one.minutes:g}", one.purpose) for name, one in SUITES.items()]
    print_table(("suite", "minutes", "purpose"), suites)
    print_table(("claim", "statement"), [(one.id, one.statement) for one in CLAIMS.values()])
