"""``attlas threshold``."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags, option


def threshold(
    name: Annotated[
        str,
        Parameter(
            help=(
                "interpolation, perfect-recovery, bayes, bulk-split, collapse, weak-recovery or "
                "separability"
            )
        ),
    ],
    /,
    *,
    flags: ProblemFlags = ProblemFlags(),
    digits: Annotated[str, option("significant digits (whole, 15 to 1000)", "whole")] = "15",
    certify: Annotated[
        bool, Parameter(help="prove the digits by interval arithmetic", negative="")
    ] = False,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the threshold; numbers are decimal strings, so that no digit is lost."""
    from attlas.cli.display import print_table, tell
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.solver.thresholds.flat import threshold_from

    given = flags.given()
    found = threshold_from(name, given, digits=digits, certify=certify)
    values = dataclasses.asdict(found)
    status, stats = values.pop("status"), values.pop("stats")
    shown = {key: value for key, value in values.items() if value is not None}
    if output.json:
        print(
            json_text(
                document(
                    "threshold",
                    given,
                    result=shown,
                    error={},
                    status=status_of(status),
                    stats=stats,
                )
            )
        )
    else:
        statement = shown.pop("statement")
        print_table(("threshold", ""), [(key, str(value)) for key, value in shown.items()])
        print(statement)
    tell(message_of(found.status), ok=found.status.ok, as_json=output.json)
    return 0 if found.status.ok else 1
