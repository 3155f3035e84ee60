"""``attlas derive``."""

from __future__ import annotations

import json
from typing import Annotated

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags


def derive(
    result: Annotated[
        str,
        Parameter(
            help=(
                "state-evolution, interpolation, perfect-recovery, separability, collapse, bayes, "
                "spectrum, bands, small-rank, direct, channel, nuclear-norm, scaling or dynamics"
            )
        ),
    ],
    /,
    *,
    flags: ProblemFlags = ProblemFlags(),
    format_: Annotated[
        str, Parameter(name="--format", help="text, latex, mathml or json", metavar="TEXT")
    ] = "text",
    steps: Annotated[
        bool, Parameter(help="list every step and run its check", negative="")
    ] = False,
    fragment: Annotated[
        bool,
        Parameter(help="of LaTeX the equations alone, with labels, for your own", negative=""),
    ] = False,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the derivation; flags that are given are put in as exact values."""
    given = flags.given()

    from attlas.symbolic.derive import derive as derived

    if not output.json:
        print(derived(result, given, steps=steps, format=format_, fragment=fragment), end="")
        return 0
    from attlas.cli.envelope import document, json_text

    parts = document(
        "derive",
        given,
        result=json.loads(derived(result, given, steps=steps, format="json")),
        error={},
        status={"name": "derived", "ok": True, "message": ""},
        stats={},
    )
    print(json_text(parts))
    return 0
