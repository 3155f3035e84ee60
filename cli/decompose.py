"""``attlas decompose``."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.cli.problems import problems_along
from attlas.model.exact import positive


def decompose(
    *,
    flags: ProblemFlags = ProblemFlags(),
    simulate: Annotated[
        bool, Parameter(help="measure the parts on trained heads, too", negative="")
    ] = False,
    seeds: Annotated[str, option("trained heads: their number, 30:34 or 3,7")] = "4",
    algorithm: Annotated[
        str | None, option("how S is trained; by default the quickest, see attlas simulate")
    ] = None,
    device: Annotated[str, option("auto, cpu or cuda")] = "auto",
    plot: Annotated[str | None, option("picture to write, .svg or .png")] = None,
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the decomposition; exit code 1 where the problem's solve did not converge."""
    axis, problems = problems_along(flags, ("alpha",))
    problem = problems[0]
    if axis is not None or simulate or plot is not None:
        from attlas.cli.decompose_along import print_along

        return print_along(flags, problems, simulate, seeds, algorithm, device, plot, output)
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))

    from attlas.cli.display import print_result, tell
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.model import parameters_of
    from attlas.solver.decomposition import decompose as split

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
        print_result(found)
    tell(message_of(found.status, found.solution.advice), ok=found.status.ok, as_json=output.json)
    return 0 if found.status.ok else 1
