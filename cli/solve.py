"""``attlas solve``."""

from __future__ import annotations

from typing import Annotated, Any

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.model.exact import positive, whole


def solve(
    *,
    flags: ProblemFlags = ProblemFlags(),
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    budget: Annotated[str | None, option("seconds to spend (greater than 0)", "number")] = None,
    max_steps: Annotated[str | None, option("iterations (whole, 1 or more)", "whole")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the solution; exit code 1 without one, or where a named --rtol was missed."""
    problem = flags.problem()
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))
    if budget is not None:
        options["budget"] = float(positive("budget", budget))
    if max_steps is not None:
        options["max_steps"] = whole("--max-steps", max_steps, at_least=1)

    from attlas import solver

    solution = solver.solve(problem, raise_on_failure=False, **options)
    from attlas.cli.display import print_result, tell
    from attlas.cli.envelope import json_text, message_of, solution_document

    if output.json:
        print(json_text(solution_document("solve", solution)))
    else:
        print_result(solution)
    tell(message_of(solution.status, solution.advice), ok=solution.status.ok, as_json=output.json)
    return 0 if solution.status.ok else 1
