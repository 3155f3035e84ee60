"""``attlas best-lambda``."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.model import problem_from
from attlas.model.exact import positive


def best_lambda(
    *,
    flags: ProblemFlags = ProblemFlags(),
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the best penalty, its sensitivity, and the Bayes-optimal floor."""
    # The penalty is the answer: any value completes the problem.
    problem = problem_from(**{"lam": "1", **flags.given()})

    from attlas.cli.display import print_result, tell
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.model import parameters_of
    from attlas.solver.best_lambda import best_lambda as search

    found = search(problem, rtol=None if rtol is None else float(positive("--rtol", rtol)))
    values, errors = found.values.present(), found.error.present()
    if output.json:
        print(
            json_text(
                document(
                    "best-lambda",
                    parameters_of(found.problem),
                    result=values,
                    error=errors,
                    status=status_of(found.status),
                    stats=dataclasses.asdict(found.stats),
                )
            )
        )
    else:
        print_result(found)
    tell(message_of(found.status), ok=found.status.ok, as_json=output.json)
    return 0 if found.status.ok else 1
