"""``attlas decompose``."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated, Any

from cli.flags import OutputFlags, ProblemFlags, option
from model.exact import positive


def decompose(
    *,
    flags: ProblemFlags = ProblemFlags(),
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the decomposition; exit code 1 where the problem's solve did not converge."""
    problem = flags.problem()
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))

    from cli.envelope import document, json_text, message_of, status_of
    from model import parameters_of
    from solver.decomposition import decompose as split

    found = split(problem, raise_on_failure=False, **options)
    if output.json:
        print(
            json_text(
                document(
                    "decompose",
                    parameters_of(problem),
                    result=found.present(),
                    error=found.error.present(),
                    status=status_of(found.status, found.solution.advice),
                    stats=dataclasses.asdict(found.stats),
                )
            )
        )
    else:
        from cli.display import print_values

        print_values(found.present(), found.error.present())
        print(message_of(found.status, found.solution.advice), file=sys.stderr)
    return 0 if found.status.ok else 1
